# From the repository root: gnuplot tools/plots/tomo-conventions.gp
set terminal pngcairo size 900,440 font "sans,11"
set output "docs/images/tomo-conventions.png"
set multiplot layout 1,2
set size ratio -1
unset key; unset tics; unset border
set xrange [-4.2:4.2]; set yrange [-4.6:4.2]
t = 25.0*pi/180
set title "Parallel beam at angle t"
do for [k=-2:2] { set arrow from k,-2 to k,2 nohead lc rgb "#bbbbbb"; set arrow from -2,k to 2,k nohead lc rgb "#bbbbbb" }
set arrow from -3.6,0 to 3.6,0 lc rgb "#888888"; set arrow from 0,-3.2 to 0,3.6 lc rgb "#888888"
set label "x" at 3.7,0; set label "y" at -0.4,3.6
set label "(0,0)" at -1.5,1.5 center font "sans,9"; set label "(0,3)" at 1.5,1.5 center font "sans,9"
set label "(3,0)" at -1.5,-1.5 center font "sans,9"
do for [k=0:5] { s=(k+0.5-3)*1.0; set arrow from s*cos(t)+2.6*sin(t),s*sin(t)-2.6*cos(t) to s*cos(t)-2.9*sin(t),s*sin(t)+2.9*cos(t) lc rgb "#3366cc" size 0.15,20; set label sprintf("%d",k) at s*cos(t)-3.2*sin(t),s*sin(t)+3.2*cos(t) center tc rgb "#3366cc" }
set arrow from 0,0 to 3.5*cos(t),3.5*sin(t) lw 2 lc rgb "#cc3333"
set label "s along (cos t, sin t)" at 2.0,1.9 tc rgb "#cc3333"
set label "element k: s = (k + 1/2 - N/2) spacing + offset; pixel (row, column), row 0 at the top" at -4.2,-4.3 font "sans,9"
plot NaN
unset arrow; unset label
set title "Flat fan at angle t"
set xrange [-5.2:5.2]; set yrange [-5.6:4.8]
do for [k=-2:2] { set arrow from k,-2 to k,2 nohead lc rgb "#bbbbbb"; set arrow from -2,k to 2,k nohead lc rgb "#bbbbbb" }
sx=4.6*sin(t); sy=-4.6*cos(t); dx=-3.2*sin(t); dy=3.2*cos(t)
do for [k=0:5] { s=(k+0.5-3)*1.1; set arrow from sx,sy to dx+s*cos(t),dy+s*sin(t) lc rgb "#3366cc" size 0.15,20; set label sprintf("%d",k) at 1.1*dx+s*cos(t),1.1*dy+s*sin(t) center tc rgb "#3366cc" }
set arrow from dx-3.3*cos(t),dy-3.3*sin(t) to dx+3.3*cos(t),dy+3.3*sin(t) lw 2 lc rgb "#cc3333"
set label "source at D (sin t, -cos t)" at sx-0.4,sy-0.1 right tc rgb "#3366cc"
plot NaN
unset multiplot
