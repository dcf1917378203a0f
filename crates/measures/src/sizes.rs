//! How large a problem is.

use mbsbench_problem::parameters;

use super::{Ending, Measure, MeasureContext, MeasureDefinition};

struct Read(fn(&Ending<'_>) -> usize);

impl Measure for Read {
    fn finish(self: Box<Self>, ending: &Ending<'_>) -> Vec<Option<f64>> {
        vec![Some((self.0)(ending) as f64)]
    }
}

macro_rules! sizes {
    ($($name:ident $column:literal $field:ident $about:literal;)*) => {$(
        parameters! {
            #[doc = concat!("Number of ", $about, ".")]
            pub struct $name {}
        }

        impl MeasureDefinition for $name {
            const NAME: &'static str = $column;
            const SUMMARY: &'static str = concat!("number of ", $about);
            fn columns(&self) -> Vec<String> {
                vec![Self::NAME.to_owned()]
            }
            fn start(&self, _context: &MeasureContext<'_>) -> Box<dyn Measure> {
                Box::new(Read(|ending| ending.$field))
            }
        }
    )*};
}

sizes! {
    States "states" states "components of the state";
    SwitchingFunctions "switching_functions" functions "event functions that matter at the start";
}
