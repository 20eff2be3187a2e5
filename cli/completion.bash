# bash completion for carom: commands and options come from the program itself
_carom() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "$(carom help | sed -n 's/^  carom \([a-z]*\).*/\1/p')" -- "$word"))
    elif [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$(carom help "$command" 2>/dev/null | grep -o -- '--[a-z-]*' | sort -u)" -- "$word"))
    elif [ "$command" = help ]; then
        COMPREPLY=($(compgen -W "$(carom help | sed -n 's/^  carom \([a-z]*\).*/\1/p')" -- "$word"))
    elif [ "$command" = figure ] && [[ ${COMP_WORDS[COMP_CWORD-1]} != -o && ${COMP_WORDS[COMP_CWORD-1]} != --output ]]; then
        COMPREPLY=($(compgen -W "$(carom figure --list 2>/dev/null | cut -d' ' -f1)" -- "$word"))
    elif [ "${COMP_WORDS[COMP_CWORD-1]}" = --law ]; then
        COMPREPLY=($(compgen -W "$(carom laws | grep -o '^[a-z]*')" -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}
complete -o filenames -F _carom carom
