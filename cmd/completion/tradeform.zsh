#compdef tradeform
_tradeform() {
  local -a found suffix
  local line value tab=$'\t'
  while IFS= read -r line; do
    value=${line%%$tab*}
    [[ $value == *= ]] && suffix=(-S '')
    # What follows a colon is the description: one within the value is quoted.
    value=${value//:/\\:}
    [[ $line == *$tab* ]] && value+=":${line#*$tab}"
    found+=("$value")
  done < <("${words[1]}" __complete -- "${(@Q)words[2,$CURRENT]}" 2>/dev/null)
  if (( ${#found} )); then _describe tradeform found "${suffix[@]}"; else _files; fi
}
if [ "$funcstack[1]" = "_tradeform" ]; then _tradeform "$@"; else compdef _tradeform tradeform; fi
