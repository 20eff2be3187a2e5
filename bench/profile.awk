# A performance profile of the task friction as SVG: awk -F, -f bench/profile.awk bench/results.csv
#
# For every solver, the share of the spatial problems with W given that it solves to the accuracy asked for
# within a factor of the fastest solver's time. Beyond MOST, the patience of the task, nothing is known.
# The best solvers have colours and names, the others are faint.

BEGIN {
    MOST = 20
    LEFT = 60; TOP = 44; WIDE = 500; HIGH = 330
    NAMED = 6
}

$1 == "friction" && $12 != "skipped" && $2 !~ /; by bodies$/ && $3 ~ /^(carom|siconos)$/ && $5 !~ /^fc2d/ {
    solver = $3 == "carom" ? "carom" : $5
    if (!(solver in known)) { known[solver] = 1; name[++solvers] = solver }
    if ($3 == "siconos" && !($2 in spatial)) { spatial[$2] = 1; problem[++problems] = $2 }
    if ($6 != "nan" && $9 != "nan" && $9 + 0 <= $10 + 0) {
        time[solver, $2] = $6 + 0
        if (!($2 in least) || $6 + 0 < least[$2]) least[$2] = $6 + 0
        if ($3 == "siconos" && (!(("best", $2) in time) || $6 + 0 < time["best", $2])) time["best", $2] = $6 + 0
    }
}

# The share solved within a factor.
function share(solver, factor,   k, count, p) {
    count = 0
    for (k = 1; k <= problems; k++) {
        p = problem[k]
        count += (solver, p) in time && time[solver, p] <= factor * least[p]
    }
    return count / problems
}

function at_x(factor) { return LEFT + WIDE * log(factor) / log(MOST) }
function at_y(part) { return TOP + HIGH * (1 - part) }

# Steps at the factors of the solver's own problems.
function curve(solver, class,   k, count, f, i, j, swap, path, p) {
    count = 0
    for (k = 1; k <= problems; k++) {
        p = problem[k]
        if ((solver, p) in time && time[solver, p] <= MOST * least[p]) f[++count] = time[solver, p] / least[p]
    }
    for (i = 2; i <= count; i++)
        for (j = i; j > 1 && f[j] < f[j - 1]; j--) { swap = f[j]; f[j] = f[j - 1]; f[j - 1] = swap }
    path = sprintf("M%.1f %.1f", at_x(1), at_y(0))
    for (i = 1; i <= count; i++) path = path sprintf("H%.1fV%.1f", at_x(f[i]), at_y(i / problems))
    printf "<path class=\"%s\" d=\"%sH%.1f\"/>\n", class, path, at_x(MOST)
}

function text(x, y, class, anchor, words) {
    printf "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" font-size=\"12\" text-anchor=\"%s\">%s</text>\n", class, x, y, anchor, words
}

function head() {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"carom\" role=\"img\" width=\"760\" height=\"440\" viewBox=\"0 0 760 440\">"
    print "<title>Frictional contact: share of problems solved within a factor of the fastest</title>"
    printf "<desc>%d spatial problems, residual 1e-8.</desc>\n", problems
    print "<style>"
    print ".carom text{font-family:'DejaVu Sans','Helvetica Neue',Arial,sans-serif}"
    print ".carom path,.carom line{fill:none;stroke-width:1.5;stroke-linejoin:round}"
    print ".carom .paper{fill:#ffffff}.carom .faint{stroke:#d3d8dd;stroke-width:1}.carom text.ink{fill:#1f2328}.carom text.faint{fill:#666666}"
    print ".carom .ours{stroke-width:3}.carom .dashed{stroke-dasharray:7 4.5}"
    split("#0072b2 #1f2328 #d55e00 #009e73 #c0568f #a07800 #7a5195 #2b8cbe", light, " ")
    split("#56b4e9 #e6e8ea #ff8c42 #2fd3a2 #e8a3cb #f0c84a #b79ad6 #8fd0f5", dark, " ")
    for (k = 1; k <= 8; k++) printf ".carom .c%d{stroke:%s}.carom text.c%d{fill:%s}\n", k - 1, light[k], k - 1, light[k]
    print "@media screen and (prefers-color-scheme:dark){"
    print ".carom .paper{fill:#15181c}.carom .faint{stroke:#3a4047}.carom text.ink{fill:#e6e8ea}.carom text.faint{fill:#a0a6ac}"
    for (k = 1; k <= 8; k++) printf ".carom .c%d{stroke:%s}.carom text.c%d{fill:%s}\n", k - 1, dark[k], k - 1, dark[k]
    print "}\n.carom text[class]{stroke:none}\n</style>\n<rect class=\"paper\" width=\"760\" height=\"440\"/>"
}

function axes(   k, ticks, n) {
    text(LEFT, 24, "ink", "start", "Share of " problems " spatial problems solved to 1e-8 within a factor of the fastest solver’s time")
    for (k = 0; k <= 5; k++) {
        printf "<line class=\"faint\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", LEFT, LEFT + WIDE, at_y(k / 5), at_y(k / 5)
        text(LEFT - 8, at_y(k / 5) + 4, "ink", "end", sprintf("%d %%", 20 * k))
    }
    n = split("1 2 3 5 10 20", ticks, " ")
    for (k = 1; k <= n; k++) {
        printf "<line class=\"faint\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", at_x(ticks[k]), at_x(ticks[k]), TOP, TOP + HIGH
        text(at_x(ticks[k]), TOP + HIGH + 18, "ink", "middle", ticks[k] "×")
    }
    text(LEFT + WIDE / 2, TOP + HIGH + 40, "ink", "middle", "time, relative to the fastest solver of each problem")
}

# Names at the right, in the order of their shares, not on top of each other.
function label(k, solver, words,   y) {
    y = at_y(share(solver, MOST)) + 4
    if (y < last + 16) y = last + 16
    last = y
    text(LEFT + WIDE + 10, y, "c" k, "start", sprintf("%s %.0f %%", words, 100 * share(solver, MOST)))
}

END {
    if (!problems) exit
    head()
    axes()
    for (k = 1; k <= solvers; k++) rank[k] = name[k]
    for (k = 2; k <= solvers; k++)
        for (j = k; j > 1 && share(rank[j], MOST) > share(rank[j - 1], MOST); j--) {
            swap = rank[j]; rank[j] = rank[j - 1]; rank[j - 1] = swap
        }
    for (k = solvers; k >= 1; k--) {
        peers = 0
        for (j = 1; j <= k; j++) peers += rank[j] != "carom"
        colour[rank[k]] = rank[k] == "carom" ? 0 : peers <= NAMED ? peers + 1 : -1
        if (colour[rank[k]] < 0) curve(rank[k], "faint")
    }
    for (k = solvers; k >= 1; k--)
        if (colour[rank[k]] > 0) curve(rank[k], "c" colour[rank[k]])
    curve("best", "c1 dashed")
    curve("carom", "c0 ours")
    last = 0
    label(0, "carom", "carom")
    label(1, "best", "best of all of Siconos")
    for (k = 1; k <= solvers; k++)
        if (colour[rank[k]] > 0) label(colour[rank[k]], rank[k], rank[k])
    text(LEFT + WIDE + 10, last + 20, "faint", "start", "faint: its other solvers")
    print "</svg>"
}
