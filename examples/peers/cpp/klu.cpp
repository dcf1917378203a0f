// Time of KLU's refactorization: `klu FILE` reads a matrix (size, number of entries, then row, column and value of each
// entry, column by column) and prints the microseconds of a call of `klu_refactor` and of one of `klu_solve`.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <vector>

#include <klu.h>

template <typename F> double fastest(F &&work) {
    double least = 1e300;
    for (int round = 0; round < 200; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
        least = std::min(least, took.count());
    }
    return least;
}

int main(int, char **arguments) {
    std::ifstream file(arguments[1]);
    int size, count;
    file >> size >> count;
    std::vector<int> starts(size + 1), rows(count);
    std::vector<double> values(count), x(size, 1.0);
    for (int k = 0, column; k < count; ++k) {
        file >> rows[k] >> column >> values[k];
        ++starts[column + 1];
    }
    for (int j = 0; j < size; ++j) starts[j + 1] += starts[j];
    klu_common common;
    klu_defaults(&common);
    klu_symbolic *symbolic = klu_analyze(size, starts.data(), rows.data(), &common);
    klu_numeric *numeric = klu_factor(starts.data(), rows.data(), values.data(), symbolic, &common);
    const double refactor = fastest(
        [&] { klu_refactor(starts.data(), rows.data(), values.data(), symbolic, numeric, &common); });
    const double solve = fastest([&] { klu_solve(symbolic, numeric, size, 1, x.data(), &common); });
    std::printf("%.2f %.2f\n", refactor, solve);
}
