# A section of the manual from what `bombard --help`, or a subcommand's, prints: options become tagged paragraphs, all
# else stays as it is laid out.
#   bombard run --help | awk -f man_page.awk
function escaped(text) {
  sub(/ +$/, "", text)
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  sub(/^\./, "\\\\\\&.", text)
  sub(/^'/, "\\\\\\&'", text)
  return text
}
function end_block() {
  if (laid_out) print ".fi"
  laid_out = 0
  in_options = 0
}

# "      --format FORMAT     table, result": the name, and where its description begins.
/^ +(-[a-z], )?--[a-z]/ {
  if (!in_options) end_block()
  in_options = 1
  line = $0
  sub(/^ +/, "", line)
  at = match(line, /  +/)
  print ".TP"
  print ".B " escaped(at ? substr(line, 1, at - 1) : line)
  if (at) print escaped(substr(line, at + RLENGTH))
  next
}
in_options && /^            / {
  sub(/^ +/, "")
  print escaped($0)
  next
}
# " Results options:"
/^ [A-Z][a-z]* options:$/ {
  end_block()
  sub(/^ /, "")
  sub(/:$/, "")
  print ".SS " escaped($0)
  next
}
/^(Usage|Examples):$/ {
  end_block()
  sub(/:$/, "")
  print ".SS " $0
  next
}
/^$/ {
  end_block()
  print ".PP"
  next
}
{
  if (in_options) end_block()
  if (!laid_out) print ".nf"
  laid_out = 1
  print escaped($0)
}
END {
  end_block()
}
