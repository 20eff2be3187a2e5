# The goals against Siconos, judged from bench/results.csv: awk -F, -f bench/goals.awk bench/notes.md bench/results.csv
#
# Prints the table of goals, and every row that misses one with a pointer to the section of notes.md that
# explains it. A section says which rows it explains in a line
#     <!-- explains: task|case; task|case* -->
# where task is accuracy|task for accuracies and bare for the bare solvers of task impact. A miss that no
# section explains, or an explanation without a miss, is told on standard error and makes the exit status 1;
# a row less than 30 % above its goal does not make its explanation stale, for times scatter.

BEGIN {
    goal("lcp-small", 3, "LCP, up to 10 contacts")
    goal("lcp-large", 20, "LCP, from 500 contacts")
    goal("impact", 10, "one impact, end to end")
    goal("bare", 10, "the same against the bare solvers")
    goal("lzb", 10, "compliant multiple impact")
    goal("motion", 10, "motion at equal step")
    goal("error", 10, "motion to equal error")
    goal("zeno", 10, "event-driven accumulation")
    goal("friction", 1, "frictional contact, best of all solvers")
}

function goal(id, ratio, words) {
    order[++goals] = id
    least[id] = ratio
    text[id] = words
}

FILENAME ~ /notes\.md$/ {
    if (sub(/^### /, "")) title = $0
    if (sub(/^<!-- explains: */, "")) {
        sub(/ *-->.*/, "")
        count = split($0, parts, / *; */)
        for (i = 1; i <= count; i++) {
            pattern[++patterns] = parts[i]
            section[patterns] = title
        }
    }
    next
}

$1 == "run" && $2 == "minutes" { minutes = $13 }

$1 ~ /^(lcp|instances|impact|lzb|motion|error|zeno|friction)$/ && $3 ~ /^(carom|siconos|siconos_numerics)$/ {
    row = $1 SUBSEP $2
    if (!(row in known)) {
        known[row] = 1
        task[++cases] = $1
        name[cases] = $2
    }
    row = row SUBSEP $3
    if ($12 != "skipped") took_part[row] = 1
    if ($12 == "ok") {
        ratio[row] = $8 + 0
        accuracy[row] = $9 + 0
    }
}

# The number at the end of a name: contacts.
function size(words) { return match(words, /[0-9]+$/) ? substr(words, RSTART) + 0 : 0 }

# The goal a row counts for.
function goal_of(t, c, engine) {
    if (engine == "siconos_numerics") return "bare"
    if (t != "lcp" && t != "instances") return t
    return size(c) <= 10 ? "lcp-small" : size(c) >= 500 ? "lcp-large" : ""
}

# The section that explains a row. Unless the row is well, its explanations are needed.
function explanation(what, well,   k, start, found) {
    for (k = 1; k <= patterns; k++) {
        start = pattern[k]
        if (start != what && !(sub(/\*$/, "", start) && index(what, start) == 1)) continue
        if (!well) needed[k] = 1
        if (found == "") found = section[k]
    }
    return found
}

function anchor(words) {
    words = tolower(words)
    gsub(/[`*_,.:;!?()'"=+\/\\]/, "", words)
    gsub(/ /, "-", words)
    return "#" words
}

function number(r) { return r >= 100 ? sprintf("%.0f", r) : sprintf("%.3g", r) }

function complain(words) { complaint[++complaints] = words }

function miss(what, came_out,   why) {
    why = explanation(what, 0)
    if (why == "") complain("bench/notes.md does not explain " what " (" came_out ")")
    missing[++misses] = what
    gsub(/\|/, ": ", missing[misses])
    missing[misses] = "| " missing[misses] " | " came_out " | " (why == "" ? "not explained" : "[" why "](" anchor(why) ")") " |"
}

function judge_accuracy(t, c, ours, peers) {
    judged++
    if (ours <= peers || ours <= 1e-12) exact++
    else miss("accuracy|" t "|" c, number(ours) " against " number(peers))
}

function judge(t, c, engine,   us, peer, g, what) {
    us = t SUBSEP c SUBSEP "carom"
    peer = t SUBSEP c SUBSEP engine
    if (!(peer in took_part)) return
    g = goal_of(t, c, engine)
    what = (g == "bare" ? g : t) "|" c
    compared[g == "bare" ? g : t] = 1
    if (!(us in ratio)) {
        if (peer in ratio) miss(what, "ours does not reach the accuracy")
        else nobody++
        return
    }
    if (peer in ratio && t != "friction") # there all are asked for the same
        judge_accuracy(t, c, accuracy[us], accuracy[peer])
    if (g == "") return
    rows[g]++
    if (!(peer in ratio)) {
        away[g]++
        return
    }
    if (!(g in worst) || ratio[peer] < worst[g]) {
        worst[g] = ratio[peer]
        worst_case[g] = c
    }
    if (ratio[peer] < least[g]) {
        miss(what, number(ratio[peer]) " times, goal " least[g])
        return
    }
    reached[g]++
    explanation(what, ratio[peer] >= 1.3 * least[g])
}

END {
    for (k = 1; k <= cases; k++) {
        judge(task[k], name[k], "siconos")
        judge(task[k], name[k], "siconos_numerics")
    }
    print "| goal against Siconos | rows | reached | the peer does not reach the accuracy | least ratio |"
    print "|---|---|---|---|---|"
    for (k = 1; k <= goals; k++) {
        g = order[k]
        if (rows[g])
            printf "| %s: at least %d times faster | %d | %d | %s | %s |\n", text[g], least[g], rows[g], reached[g],
                away[g], g in worst ? number(worst[g]) " (" worst_case[g] ")" : ""
    }
    if (judged) printf "| accuracy at least the peer's, or 1e-12 | %d | %d | | |\n", judged, exact
    if (nobody) printf "\nCases that nobody solves to the accuracy asked for, not counted: %d.\n", nobody
    sub(/;/, ",", minutes)
    if (minutes != "") printf "\nThe whole table took %s (goal: 15 minutes).\n", minutes
    if (misses) print "\nRows that miss a goal:\n\n| row | what came out | why |\n|---|---|---|"
    for (k = 1; k <= misses; k++) print missing[k]
    for (k = 1; k <= patterns; k++) {
        t = pattern[k]
        sub(/^accuracy\|/, "", t)
        sub(/\|.*/, "", t)
        if (!(k in needed) && t in compared)
            complain("bench/notes.md explains " pattern[k] ", where no row misses its goal")
    }
    for (k = 1; k <= complaints; k++) print complaint[k] > "/dev/stderr"
    exit complaints > 0
}
