#!/usr/bin/env bash
# Compares the instructions of ode15s with diffsol's BDF, and of DOPRI5 and DOP853 with ode_solvers and Boost.odeint, for
# solutions of the same equations, and marks ratios above their bar. Requires valgrind, and builds programs that are used
# nowhere else. `scripts/peers.sh articulated` and `scripts/peers.sh klu` only build the programs for comparisons
# with Pinocchio and KLU (libsuitesparse-dev) and print their names.
set -euo pipefail
cd "$(dirname "$0")/../examples/peers"

# The headers of Boost and Pinocchio come with Pinocchio's package; Eigen's are those of the system (libeigen3-dev).
environment=$PWD/target/pinocchio
[ -e "$environment" ] || { python3 -m venv "$environment" && "$environment/bin/pip" install --quiet pin; } >&2
prefix=$(echo "$environment"/lib/python3*/site-packages/cmeel.prefix)
compile() {
    [ "target/$1" -nt "cpp/$1.cpp" ] || g++ -O3 -DNDEBUG -std=c++17 -I"$prefix/include" "cpp/$1.cpp" -o "target/$1" "${@:2}"
}
case "${1:-odeint}" in
    articulated) compile articulated -march=x86-64-v3 -I/usr/include/eigen3 -DBOOST_MPL_LIMIT_LIST_SIZE=30 \
        -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS -L"$prefix/lib" -lpinocchio_default -Wl,-rpath,"$prefix/lib" ;;
    klu) compile klu -I/usr/include/suitesparse -lklu ;;
    *) compile odeint ;;
esac
[ $# -eq 0 ] || { echo "$PWD/target/$1"; exit; }
cargo build --release --quiet
count() {
    local log
    log=$(mktemp)
    local program=(target/release/peers "$@")
    [ "$2" != odeint-dopri5 ] || program=(target/odeint "$3")
    # Names of the C library are bound before `main`, in all programs.
    LD_BIND_NOW=1 valgrind --tool=callgrind --toggle-collect='*solve_counted*' --callgrind-out-file=/dev/null \
        --log-file="$log" "${program[@]}" >/dev/null || exit 1
    awk '/Collected/ { print $NF }' "$log"
    rm -f "$log"
}

echo '| problem | tolerance | ours | instructions | peer | instructions | ratio | bar | |'
echo '|---|---|---|---|---|---|---|---|---|'
declare -A counted
while read -r problem tolerance ours peer bar; do
    a=$(count "$problem" "$ours" "$tolerance")
    b=$(count "$problem" "$peer" "$tolerance")
    counted[$problem $tolerance $peer]="$a $b"
    awk -v a="$a" -v b="$b" -v bar="$bar" -v row="| $problem | $tolerance | \`$ours\` | $a | $peer | $b" \
        'BEGIN { printf "%s | %.3f | %s | %s |\n", row, a / b, bar, (a / b <= bar ? "holds" : "**does not hold**") }'
done <<'PAIRS'
robertson 1e-4 ode15s diffsol-bdf 1.0
robertson 1e-6 ode15s diffsol-bdf 1.0
van-der-pol 1e-4 ode15s diffsol-bdf 1.0
van-der-pol 1e-6 ode15s diffsol-bdf 1.0
heat-32 1e-6 ode15s diffsol-bdf 1.0
heat-128 1e-6 ode15s diffsol-bdf 1.0
pendulum 1e-6 dopri5 ode_solvers-dopri5 1.05
pendulum 1e-10 dopri5 ode_solvers-dopri5 1.05
pendulum 1e-6 dopri5 odeint-dopri5 1.15
pendulum 1e-10 dopri5 odeint-dopri5 1.15
pendulum 1e-6 dop853 ode_solvers-dop853 1.02
squeezer 1e-6 dopri5 ode_solvers-dopri5 1.02
squeezer 1e-6 dop853 ode_solvers-dop853 1.02
squeezer 1e-10 dop853 ode_solvers-dop853 1.02
PAIRS

# The difference of two solutions of different lengths is the cost of steps without set-up.
for peer in ode_solvers odeint; do
    read -r a b <<<"${counted[pendulum 1e-6 $peer-dopri5]}"
    read -r c d <<<"${counted[pendulum 1e-10 $peer-dopri5]}"
    awk -v ours=$((c - a)) -v theirs=$((d - b)) -v peer=$peer 'BEGIN {
        printf "\nFrom 1e-6 to 1e-10 on the pendulum, `dopri5` takes %d more instructions, ", ours
        printf "%s %d:\na ratio of %.3f for steps without set-up.\n", peer, theirs, ours / theirs
    }'
done
cat <<'TEXT'

All programs know the equations of the pendulum when they are compiled. Boost.odeint turns equations, formula and loop
into one function. Ours calls equations through a pointer, counts the calls, tests states for infinities, and chooses a
step from a logarithm and an exponential; in short solutions, coefficients that are rounded from double-doubles and
memory for any number of states count, too. Loops of fixed length for two states and no calls for event functions that
do not exist made it faster, but not by as much as the bar asks.
TEXT
