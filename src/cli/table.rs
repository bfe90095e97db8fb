//! Columns for people: a header, two spaces between columns, no borders.
//!
//! On a terminal a table fits its width: long cells end in `…`, those of the first column last, because it identifies
//! the row. Coloured words are never cut. In a pipe every cell is complete.

use super::style;

/// The minimum width of a shrunk column.
const WIDTH_MIN: usize = 5;
const GAP: &str = "  ";

/// Formats rows under a header; every row has as many cells as the header.
pub(super) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    lay_out(header, rows, style::columns())
}

fn lay_out(header: &[&str], rows: &[Vec<String>], columns: Option<usize>) -> String {
    let head: Vec<String> = header.iter().map(|title| title.to_uppercase()).collect();
    let mut widths = vec![0; head.len()];
    for row in std::iter::once(&head).chain(rows) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(style::width(cell));
        }
    }
    if let Some(columns) = columns {
        let is_colored = |column: usize| rows.iter().any(|row| row[column].contains('\x1b'));
        let fixed = (0..head.len()).map(is_colored).collect::<Vec<_>>();
        shrink(&mut widths, &fixed, columns);
    }
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| fit(cell, *width)).collect();
        format!("{}\n", cells.join(GAP).trim_end())
    };
    std::iter::once(&head).chain(rows).map(line).collect()
}

/// Repeatedly shrinks the widest column; the first column only after all others.
fn shrink(widths: &mut [usize], fixed: &[bool], columns: usize) {
    while widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1) > columns {
        let Some((first, others)) = widths.split_first_mut() else { return };
        let free = others.iter_mut().zip(&fixed[1..]).filter(|(_, fixed)| !**fixed).map(|(width, _)| width);
        let widest = free.max().filter(|width| **width > WIDTH_MIN).unwrap_or(first);
        if *widest <= WIDTH_MIN {
            return;
        }
        // One at a time, so that columns of equal width stay equal.
        *widest -= 1;
    }
}

/// A cell of this width: padded with spaces, or cut. Only a cut cell loses its colour.
fn fit(cell: &str, width: usize) -> String {
    let own = style::width(cell);
    if own <= width {
        return format!("{cell}{}", " ".repeat(width - own));
    }
    let plain = anstream::adapter::strip_str(cell).to_string();
    let shown = width.saturating_sub(1);
    if plain.contains('/') && !plain.contains(' ') {
        // Paths differ at their end.
        let skipped = plain.chars().count().saturating_sub(shown);
        return std::iter::once('…').chain(plain.chars().skip(skipped)).collect();
    }
    plain.chars().take(shown).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Vec<String>> {
        vec![vec!["a".to_owned(), "bé".to_owned()], vec!["long".to_owned(), String::new()]]
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        assert_eq!(table(&["x", "y"], &rows()), "X     Y\na     bé\nlong\n");
    }

    #[test]
    fn on_a_terminal_long_cells_end_in_an_ellipsis_and_the_first_column_is_cut_last() {
        let long = "word ".repeat(20);
        let rows =
            vec![vec!["TR-20260209-160501Z-stats".to_owned(), long.clone(), "\x1b[32maccepted\x1b[0m".to_owned()]];
        let shown = lay_out(&["id", "what", "state"], &rows, Some(50));
        assert!(shown.lines().all(|line| style::width(line) <= 50), "{shown}");
        assert!(shown.contains("TR-20260209-160501Z-stats  word ") && shown.contains("…  \x1b[32maccepted"), "{shown}");
        assert!(lay_out(&["id", "what", "state"], &rows, None).contains(&long));
        assert_eq!(fit("core/inbound/TS-20260209-160503Z-good", 12), "…60503Z-good");
    }
}
