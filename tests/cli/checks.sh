# Checks of the program for tests/cli/test_*.sh, which start with failed=0 count=0 and, for status_is
# and says, a folder.

# check command...: it must succeed
check() {
    count=$((count + 1))
    "$@" || { echo "FAILED: $*"; failed=$((failed + 1)); }
}

# status_is STATUS command...: its exit status; what it wrote stays in $folder/out and $folder/err
status_is() {
    expected=$1
    shift
    "$@" >"$folder/out" 2>"$folder/err" </dev/null
    got=$?
    [ "$got" = "$expected" ] || { echo "status $got, expected $expected"; cat "$folder/err"; return 1; }
}

# says PATTERN: the last command of status_is wrote it
says() { cat "$folder/out" "$folder/err" | grep -q -e "$1"; }

# expect STATUS PATTERN command...: exit status and a pattern in the output
expect() {
    status=$1 pattern=$2
    shift 2
    out=$("$@" 2>&1 </dev/null)
    got=$?
    count=$((count + 1))
    if [ "$got" != "$status" ] || ! printf '%s\n' "$out" | tr '\n' ' ' | grep -q -e "$pattern"; then
        echo "FAILED: $* -> $got, expected $status with '$pattern'"
        printf '%s\n' "$out" | head -n 20
        failed=$((failed + 1))
    fi
}
