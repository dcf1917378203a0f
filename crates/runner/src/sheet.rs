//! A CSV file written by the program.

use mbsbench_numbers::unguarded;

use mbsbench_experiment::lists::unique;

/// Headings and records, without the guards of [`mbsbench_numbers::guarded`].
pub(crate) struct Sheet {
    pub(crate) heads: Vec<String>,
    pub(crate) records: Vec<Vec<String>>,
}

impl Sheet {
    pub(crate) fn parse(text: &str) -> Result<Self, csv::Error> {
        let plain = |record: &csv::StringRecord| record.iter().map(|cell| unguarded(cell).to_owned()).collect();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let heads = plain(reader.headers()?);
        Ok(Self {
            heads,
            records: reader.records().map(|record| record.map(|record| plain(&record))).collect::<Result<_, _>>()?,
        })
    }

    /// The cell of a record under a heading; empty if there is none.
    pub(crate) fn cell<'s>(&self, record: &'s [String], head: &str) -> &'s str {
        let place = self.heads.iter().position(|own| own == head);
        place.and_then(|place| record.get(place)).map_or("", String::as_str)
    }

    /// The distinct texts in a column.
    pub(crate) fn distinct(&self, column: usize) -> Vec<&str> {
        unique(self.records.iter().filter_map(|record| record.get(column)).map(String::as_str))
    }
}
