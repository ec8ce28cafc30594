# Completion for bash; zsh takes it as well (_bombard). Every word is read from --help, so it is the program's own.
# shellcheck shell=bash disable=SC2207  # words without blanks; zsh has no mapfile

# The values that the help of an option lists: "auto, direct (all of it) or fast; ..." gives auto, direct and fast.
_bombard_values() {
  awk -v option="$1" '
    /^ +(-[a-z], )?--[a-z]/ {
      found = 0
      for (i = 1; i <= 2; ++i) if ($i == option) found = i
      if (found) { sub(/^ +/, ""); names = $0; sub(/  .*/, "", names); sub(/^[^ ]*( [^ ]+)?  +/, ""); text = $0 }
      next
    }
    found { sub(/^ +/, ""); text = text " " $0 }
    /^$/ { found = 0 }
    END {
      if (names ~ /\|/) { sub(/.* /, "", names); gsub(/\|/, "\n", names); print names; exit }
      gsub(/\([^)]*\)/, "", text)
      sub(/;.*/, "", text)
      sub(/.*: /, "", text)
      sub(/^One of /, "", text)
      gsub(/ +/, " ", text)
      sub(/ $/, "", text)
      gsub(/,? or /, ", ", text)
      count = split(text, words, / ?, /)
      if (count < 2) exit
      for (i = 1; i <= count; ++i) if (words[i] ~ /^[a-z][a-z0-9_]*$/) print words[i]
    }'
}

_bombard() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]}
  local help words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ] || [ "$COMP_CWORD ${COMP_WORDS[1]}" = '2 help' ]; then
    words=$("$program" --help 2>/dev/null | sed -n '/^Usage:/,/^$/s/^  bombard \([a-z-]*\).*/\1/p')
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  # --device=cpu comes as three words.
  if [ "$current" = = ]; then
    current=
  elif [ "$previous" = = ]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  local -a subcommand=("${COMP_WORDS[1]}")
  # `generate vector` has options of its own.
  [[ $COMP_CWORD -gt 2 && ${COMP_WORDS[2]} =~ ^[a-z]+$ ]] && subcommand+=("${COMP_WORDS[2]}")
  help=$("$program" "${subcommand[@]}" --help 2>/dev/null) || return
  if [[ $current == -* ]]; then
    words=$(grep -oE '^ +(-[a-z], )?--[a-z-]+' <<<"$help" | grep -oE -e '--[a-z-]+')
  elif [[ $previous == --* ]]; then
    words=$(_bombard_values "$previous" <<<"$help")
  elif [ "$COMP_CWORD" -eq 2 ]; then
    # The problems of `solve`, the names of `study`, the arrays of `generate`.
    words=$(sed -n "/^Usage:/q; s/^  bombard ${subcommand[0]} \([a-z]*\) .*/\1/p" <<<"$help")
    [ "${subcommand[0]}" = generate ] && words='vector matrix system set'
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -o default -F _bombard bombard  # where it offers nothing, files
