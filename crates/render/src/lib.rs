//! Figures and tables from plain data.
//!
//! A [`Figure`] is laid out once into a [`drawing::Drawing`], which is written as [`svg`] for pages or as [`png`]
//! for papers and slides. Several drawings in sequence are an [`animation`]. The data of a figure are written by
//! [`csv`]. A [`Table`] of published and measured values is printed to a terminal, as Markdown and as CSV.
//!
//! This crate does not know experiments, runs or methods.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod animation;
mod canvas;
pub mod csv;
pub mod drawing;
pub mod figure;
mod kinds;
mod layout;
mod marks;
pub mod png;
pub mod style;
pub mod svg;
pub mod table;
pub mod text;
pub mod thin;
pub mod ticks;

pub use figure::{Axis, Failure, Figure, Panel, Point, Scale, Series};
pub use kinds::Kind;
pub use layout::lay_out;
pub use style::{Dash, Hue, Mark, Style};
pub use table::{Cell, Measured, Row, Table};
