_tradeform() {
  local line quotes=$'"\'' current=${COMP_WORDS[COMP_CWORD]} open= at
  # The quote that is open where the word ends: what is offered goes in there.
  for (( at = 0; at < ${#current}; at++ )); do
    case $open${current:at:1} in
      \\ | '"'\\) (( at += 1 )) ;;
      "''" | '""') open= ;;
      "'" | '"') open=${current:at:1} ;;
    esac
  done
  local -a words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  # As typed, with quotes: the names that are looked for have none.
  words=("${words[@]//\\/}")
  words=("${words[@]#["$quotes"]}")
  COMPREPLY=()
  while IFS=$'\t' read -r line _; do
    case $open in
      "'") line=${line//\'/\'\\\'\'} ;;
      '"')
        # No quoting keeps a history expansion from a ! in there.
        [[ $line == *!* ]] && continue
        line=${line//\\/\\\\} line=${line//\"/\\\"}
        line=${line//\$/\\\$} line=${line//\`/\\\`}
        ;;
      *) [[ $line == *[!a-zA-Z0-9_./:@%+=,-]* ]] && printf -v line %q "$line" ;;
    esac
    COMPREPLY+=("$line")
  done < <("${COMP_WORDS[0]}" __complete -- "${words[@]}" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -o bashdefault -o default -F _tradeform tradeform
