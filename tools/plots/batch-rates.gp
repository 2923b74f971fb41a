# gnuplot -e "data='rates.dat'; out='batch-rates'" batch-rates.gp
# Iterations to gain one digit, 1/log10(1/rate), against the batch size.
set encoding utf8
set logscale xy
set xlabel "batch size B (rows per iteration)"
set ylabel "iterations per digit of accuracy"
set format x "10^{%L}"
set key outside right top spacing 1.3
set grid xtics ytics lc rgb "#dddddd"
set xrange [8:600000]
set yrange [9:2000]
digits(r) = (r > 0 && r < 1) ? -1/log10(r) : NaN
set arrow 1 from 505,graph 0 to 505,graph 1 nohead dt 3 lc rgb "#777777"
set label 1 "‖A‖²/√(λ_{max}λ_{min})" at 560,1400 tc rgb "#555555" font ",10"
set arrow 2 from 473568,graph 0 to 473568,graph 1 nohead dt 3 lc rgb "#777777"
set label 2 "B*" at 330000,1400 tc rgb "#555555" font ",10" right
set arrow 3 from 2236,graph 0 to 2236,graph 1 nohead dt 3 lc rgb "#777777"
set label 3 "paper's parameters\ndiverge below" at 2000,700 tc rgb "#555555" font ",10" right
plot_it = "plot data u 1:(digits($4)) w l lw 2 dt 2 lc rgb '#0072b2' t 'tuned, certified for any A', \
  data u 1:(digits($3)) w l lw 2 lc rgb '#0072b2' t 'tuned, predicted', \
  data u 1:(digits($5)) w p pt 7 ps 0.9 lc rgb '#0072b2' t 'tuned, measured', \
  data u 1:(digits($2)) w l lw 2 lc rgb '#d55e00' t 'paper''s, predicted', \
  data u 1:(digits($6)) w p pt 4 ps 0.9 lc rgb '#d55e00' t 'paper''s, measured'"
set terminal svg size 860,460 dynamic font "DejaVu Sans,12" background "white"
set output out.".svg"
eval plot_it
set terminal pngcairo size 1290,690 font "DejaVu Sans,13" background "white"
set output out.".png"
eval plot_it
