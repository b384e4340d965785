function __tradeform_complete
  # -x is -o of fish 4 and later.
  set -l before (commandline -opc)
  if commandline -x >/dev/null 2>&1
    set before (commandline -xpc)
  end
  set -l current (commandline -ct)
  set -l found ($before[1] __complete -- $before[2..-1] "$current" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c tradeform -f -a '(__tradeform_complete)'
