// Time of the articulated-body algorithm in Pinocchio: `articulated BODIES` prints the nanoseconds of a call and the
// acceleration of the last joint of a chain at angles sin(1 + i) and rates cos(2 i). Rods of 1 m and 1 kg hang in hinges
// with axes y, z, y, …
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/multibody.hpp>

int main(int, char **arguments) {
    pinocchio::Model model;
    const Eigen::Vector3d moments(0.01, 0.1, 0.1);
    const pinocchio::Inertia rod(1.0, Eigen::Vector3d(0.5, 0, 0), moments.asDiagonal().toDenseMatrix());
    pinocchio::JointIndex parent = 0;
    for (int i = 0; i < std::atoi(arguments[1]); ++i) {
        const pinocchio::SE3 place(Eigen::Matrix3d::Identity(), Eigen::Vector3d(i > 0, 0, 0));
        const auto name = "hinge " + std::to_string(i);
        parent = i % 2 ? model.addJoint(parent, pinocchio::JointModelRZ(), place, name)
                       : model.addJoint(parent, pinocchio::JointModelRY(), place, name);
        model.appendBodyToJoint(parent, rod);
    }
    pinocchio::Data data(model);
    Eigen::VectorXd q(model.nq), v(model.nv), torques = Eigen::VectorXd::Zero(model.nv);
    for (int i = 0; i < model.nv; ++i) {
        q[i] = std::sin(1.0 + i);
        v[i] = std::cos(2.0 * i);
    }
    double fastest = std::numeric_limits<double>::infinity(), sum = 0.0;
    for (auto frame : {pinocchio::Convention::WORLD, pinocchio::Convention::LOCAL}) {
        for (int round = 0; round < 15; ++round) {
            const int calls = 200000 / model.nv;
            const auto begin = std::chrono::steady_clock::now();
            for (int call = 0; call < calls; ++call) {
                pinocchio::aba(model, data, q, v, torques, frame);
                sum += data.ddq[0];
            }
            const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
            fastest = std::min(fastest, took.count() / calls);
        }
    }
    std::printf("%.1f %.17g %s\n", fastest, data.ddq[model.nv - 1], std::isnan(sum) ? "not a number" : "");
}
