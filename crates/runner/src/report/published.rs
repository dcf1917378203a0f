//! The papers, as they are cited.

/// A paper.
pub(super) struct Paper {
    pub id: &'static str,
    pub authors: &'static str,
    pub title: &'static str,
    pub about: &'static str,
}

/// The papers that the project is about.
pub(super) const PAPERS: [Paper; 5] = [
    Paper {
        id: "modin2005",
        authors: "K. Modin, D. Fritzson, C. Führer, G. Söderlind",
        title: "A new class of variable step-size methods for multibody dynamics",
        about: "step size from contact power; a rolling bearing of twelve bodies; CVODE as the baseline",
    },
    Paper {
        id: "negrut2007",
        authors: "D. Negrut, L. Jay, N. Khude, T. Heyn",
        title: "A discussion of low order numerical integration formulas for rigid and flexible multibody dynamics",
        about: "six low-order formulas on rigid and flexible mechanisms",
    },
    Paper {
        id: "compere2001",
        authors: "M. D. Compere",
        title: "Simulation of engineering systems described by high-index DAE and discontinuous ODE using \
                single step methods",
        about: "differential-algebraic equations by sliding-mode control; discontinuous equations by single-step methods",
    },
    Paper {
        id: "gil2013",
        authors: "G. Gil, R. G. Sanfelice, P. E. Nikravesh",
        title: "Local linearization method in the integration of multibody equations",
        about: "an explicit exponential method on stiff mechanisms and impacts",
    },
    Paper {
        id: "zhang2022",
        authors: "H. Zhang, R. Zhang, A. Zanoni, P. Masarati",
        title: "Performance of implicit A-stable time integration methods for multibody system dynamics",
        about: "seventeen implicit integrators, their linear analysis, rigid and flexible mechanisms",
    },
];

/// The paper of an id.
pub(super) fn paper(id: &str) -> Option<&'static Paper> {
    PAPERS.iter().find(|paper| paper.id == id)
}
