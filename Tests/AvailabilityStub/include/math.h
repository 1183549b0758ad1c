// The part of <math.h> that the package uses (C11, 7.12).
#pragma once

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define M_PI 3.14159265358979323846
#define isnan(x) __builtin_isnan(x)

#define ONE(name) double name(double); float name##f(float)
#define TWO(name) double name(double, double); float name##f(float, float)
ONE(acos); ONE(acosh); ONE(asin); ONE(asinh); ONE(atan); ONE(atanh); ONE(cbrt); ONE(ceil); ONE(cos); ONE(cosh);
ONE(erf); ONE(erfc); ONE(exp); ONE(exp2); ONE(expm1); ONE(fabs); ONE(floor); ONE(lgamma); ONE(log); ONE(log10);
ONE(log1p); ONE(log2); ONE(nearbyint); ONE(rint); ONE(round); ONE(sin); ONE(sinh); ONE(sqrt); ONE(tan); ONE(tanh);
ONE(tgamma); ONE(trunc);
TWO(atan2); TWO(copysign); TWO(fdim); TWO(fmax); TWO(fmin); TWO(fmod); TWO(hypot); TWO(nextafter); TWO(pow);
TWO(remainder);
double fma(double, double, double); float fmaf(float, float, float);
double frexp(double, int *); double ldexp(double, int); double modf(double, double *);
long lround(double); long lrint(double); double remquo(double, double, int *); double scalbn(double, int);
#undef ONE
#undef TWO
