#!/bin/sh
# carom-mpi: the table of four processes is that of one, byte for byte, also when one of them or all
# are killed and the sweep goes on; wrong command lines end at once.
# $1 = program, $2 = source folder
set -u
carom=$1 mpi=${1%/*}/carom-mpi folder=$(cd "$(mktemp -d)" && pwd -P) failed=0 count=0
trap 'rm -rf "$folder"' EXIT
. "$2/tests/cli/checks.sh"

if [ ! -x "$mpi" ] || ! command -v mpirun >/dev/null; then
    echo "no carom-mpi, or no mpirun: nothing to test"
    exit 0
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_base_warn_component_unused=0 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export ASAN_OPTIONS=detect_leaks=0 # of MPI itself

cat >"$folder/scene.yaml" <<'END'
carom: 1
parameters: {w: 2, e: 0.8, T: 20}
system:
  coordinates: [x]
  kinetic: x'^2/2
  potential: x^2/2
  forces: {x: cos(w*t)}
  contacts: {stop: {gap: x + 1, restitution: e}}
initial: {x: 0.5}
law: newton
period: 2*pi/w
run: {until: T}
END
cd "$folder" || exit 1

# verdict NAME TRUE|FALSE
verdict() {
    count=$((count + 1))
    [ "$2" = 0 ] && return
    failed=$((failed + 1))
    echo "FAILED: $1"
    [ -f out ] && tail -5 out
}
# start PROCESSES ARGUMENTS...: in the background, its number in $job
start() {
    processes=$1
    shift
    timeout 100 mpirun ${recovery:-} -np "$processes" "$mpi" "${command:-sweep}" scene.yaml "$@" >out 2>&1 &
    job=$!
}
# wait until the table has N lines, or the job ends
grown() {
    while kill -0 $job 2>/dev/null; do
        [ -f "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ] && return
        sleep 0.05
    done
}
# the process of this rank: of those that work here
rank() {
    for d in /proc/[0-9]*; do
        [ "$(readlink "$d/cwd" 2>/dev/null)" = "$folder" ] &&
            { tr '\0' '\n' <"$d/environ"; } 2>/dev/null | grep -qx "OMPI_COMM_WORLD_RANK=$1" && echo "${d#/proc/}"
    done
}

# The same bytes: one row a cell, with failures and two laws; points of sections, any number a cell.
grid="--vary w=1.5:3.5:60 --vary e=0.5,1.5,0.9 --law newton --law moreau"
"$carom" sweep scene.yaml $grid -o one.csv 2>/dev/null
start 4 $grid -o four.csv
wait $job
verdict "four processes end well" $?
cmp -s one.csv four.csv
verdict "the same bytes" $?
"$carom" sweep scene.yaml --vary w=1.5:3.5:40 --keep section --skip 1 >one.csv
timeout 100 mpirun -np 3 "$mpi" sweep scene.yaml --vary w=1.5:3.5:40 --keep section --skip 1 >three.csv
cmp -s one.csv three.csv
verdict "the same points of sections" $?
"$carom" sweep scene.yaml --vary w=2:3:20 --follow both -o one.h5
start 2 --vary w=2:3:20 --follow both -o two.h5
wait $job
cmp -s one.h5 two.h5
verdict "the same table in HDF5" $?

plane="--vary x=-0.9:2:9 --vary x'=-1:1:9 --set T=400 --skip 20"
"$carom" basins scene.yaml $plane --json >one.json
timeout 100 mpirun -np 4 "$mpi" basins scene.yaml $plane --json >four.json 2>out
verdict "basins end well" $?
cmp -s one.json four.json
verdict "the same basins" $?
"$carom" sweep scene.yaml --vary w=1.6:3.4:10 --keep orbit --skip 20 >one.csv 2>/dev/null
timeout 100 mpirun -np 3 "$mpi" sweep scene.yaml --vary w=1.6:3.4:10 --keep orbit --skip 20 >three.csv 2>out
cmp -s one.csv three.csv
verdict "the same periodic motions" $?

timeout 100 mpirun -np 2 "$mpi" basins scene.yaml $plane --json --journal whole.cells >two.json 2>out
cmp -s one.json two.json
verdict "the same basins with a journal" $?
head -c 2500 whole.cells >cut.cells # as a job that was ended leaves it
"$carom" basins scene.yaml $plane --json --journal cut.cells --resume >two.json
cmp -s one.json two.json && cmp -s whole.cells cut.cells
verdict "basins go on from their journal" $?
"$carom" basins scene.yaml $plane --same 1e-5 --journal cut.cells --resume >out 2>&1
[ $? = 2 ] && grep -q "other options" out
verdict "a journal of something else" $?

# Long cells, so that there is time to kill.
long="--vary w=1.5:3.5:40 --set T=250"
"$carom" sweep scene.yaml $long -o one.csv --force
start 4 $long -o table.csv
grown table.csv 6
kill -9 $(rank 2) 2>/dev/null
wait $job
tail -c 1 table.csv | od -c | grep -q '\\n'
verdict "a killed process leaves whole rows" $?
head -n "$(wc -l <table.csv)" one.csv | cmp -s - table.csv
verdict "they are the first of the table" $?
start 4 $long -o table.csv --resume
wait $job
cmp -s one.csv table.csv
verdict "--resume after the death of one" $?

start 4 $long -o all.csv
grown all.csv 6
kill -9 $(rank 0) $(rank 1) $(rank 2) $(rank 3) 2>/dev/null
wait $job
start 4 $long -o all.csv --resume
wait $job
cmp -s one.csv all.csv
verdict "--resume after the death of all" $?

start 4 $long -o ended.csv
grown ended.csv 6
kill -TERM $job 2>/dev/null
wait $job
"$carom" sweep scene.yaml $long -o ended.csv --resume # one process goes on with it
cmp -s one.csv ended.csv
verdict "one process goes on with what four began" $?

# Where mpirun lets the others live they do what the dead one was given.
recovery=--enable-recovery
start 4 $long -o lived.csv
grown lived.csv 6
kill -9 $(rank 3) 2>/dev/null
wait $job
cmp -s one.csv lived.csv
verdict "the others finish the table" $?
recovery=

# Basins: what is finished is in their journal, whoever dies.
deep="--vary x=-0.9:2:6 --vary x'=-1:1:6 --set T=4000 --skip 600 --json"
"$carom" basins scene.yaml $deep --journal one.cells >one.json
command=basins
for dead in "2" "0 1 2 3"; do
    rm -f cut.cells
    start 4 $deep --journal cut.cells
    grown cut.cells 12
    kill -9 $(for r in $dead; do rank "$r"; done) 2>/dev/null
    wait $job
    head -n "$(wc -l <cut.cells)" one.cells | cmp -s - cut.cells
    verdict "basins: whole cells after the death of $dead" $?
    timeout 100 mpirun -np 3 "$mpi" basins scene.yaml $deep --journal cut.cells --resume >three.json 2>out
    cmp -s one.json three.json && cmp -s one.cells cut.cells
    verdict "basins go on after the death of $dead" $?
done
recovery=--enable-recovery
start 4 $deep --journal lived.cells
grown lived.cells 12
kill -9 $(rank 3) 2>/dev/null
wait $job
cmp -s one.cells lived.cells
verdict "the others finish the basins" $?
recovery= command=

# Command lines that cannot be.
start 3 --vary nothing=1,2
wait $job
[ $? = 2 ] && grep -q "no parameter 'nothing'" out && [ "$(grep -c "^carom:" out)" = 1 ]
verdict "a wrong name is told once" $?
timeout 100 mpirun -np 2 "$mpi" --help >out 2>&1
[ $? = 0 ] && [ "$(grep -c "^  sweep " out)" = 1 ]
verdict "help is told once" $?
timeout 100 mpirun -np 2 "$mpi" run scene.yaml >out 2>&1
[ $? = 2 ] && grep -q "use carom" out
verdict "what is not distributed" $?
timeout 100 mpirun -np 2 "$carom" sweep scene.yaml --vary w=1,2 >out 2>&1
[ $? = 2 ] && grep -q "carom-mpi distributes" out
verdict "the plain program many times" $?
timeout 100 mpirun -np 2 "$mpi" sweep scene.yaml --vary w=1,2 -o no/folder.csv >out 2>&1
[ $? != 0 ]
verdict "a table that cannot be written" $?

echo "$count checks, $failed failed"
exit $((failed > 0))
