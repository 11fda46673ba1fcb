# Prints what zsh offers at the end of a command line: captured-completion.zsh FOLDER LINE. FOLDER has the function _tessera.
# Completion works at a terminal only, so it runs in a zsh on a pseudo-terminal; compadd and the marks show what it offers.
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PROMPT=; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D
compadd() {
  local -a found
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd \"\$@\"; return; fi
  builtin compadd -A found \"\$@\"; print -rl -- \$found; builtin compadd \"\$@\"
}
mark() { print -n '\\0' }
compprefuncs=(mark); comppostfuncs=(mark exit)
bindkey '^I' complete-word '^M' undefined '^J' undefined; print READY-\$((1+1))"
while zpty -r z line; do [[ $line == *READY-2* ]] && break; done
zpty -w -n z "$2"$'\t'
zpty -r z out $'*\0'; out=
zpty -r z out $'*\0'
print -r -- "${out%$'\0'}"
