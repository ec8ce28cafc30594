# Completion for bash: the program itself says which words are possible at a place.
# shellcheck shell=bash disable=SC2207  # words without blanks
_bombard() {
  local offered
  COMPREPLY=()
  # It fails where a file's name is possible.
  offered=$("${COMP_WORDS[0]}" --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return 0
  compopt +o default 2>/dev/null
  COMPREPLY=($(cut -f 1 <<<"$offered"))
}

complete -o default -F _bombard bombard
