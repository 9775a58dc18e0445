//! The chart of measured figures, `docs/figures.svg`, drawn from the summary of `docs/performance.md`.

use std::fmt::Write as _;

/// The width of the longest bar, where the bars begin, and the distance of their tops.
const WIDTH: f64 = 430.0;
const LEFT: f64 = 190.0;
const STEP: f64 = 24.0;

/// A group of bars with a scale of its own.
#[derive(Debug, PartialEq)]
struct Group {
    title: &'static str,
    bars: Vec<Bar>,
}

#[derive(Debug, PartialEq)]
struct Bar {
    label: String,
    /// Requests a second.
    rate: f64,
    is_own: bool,
}

/// The chart; `None` if the summary lacks a row.
pub(super) fn draw(performance: &str) -> Option<String> {
    let groups = [
        Group {
            title: "PostgreSQL: an artist's albums, their tracks, the genre of each",
            bars: beside(performance, "an artist's albums", "PostGraphile")?,
        },
        Group {
            title: "Neo4j: the library's simple query",
            bars: beside(performance, "the library's simple query", "@neo4j/graphql")?,
        },
        Group { title: "Federation: the published benchmark", bars: gateways(performance)? },
    ];
    Some(print(&groups))
}

/// The bars of a row with a rate and how many times the other's it is.
fn beside(performance: &str, row: &str, other: &str) -> Option<Vec<Bar>> {
    let cells = cells(performance, row)?;
    let (rate, times) = (number(cells.get(1)?)?, number(cells.get(2)?)?);
    let bar = |label: &str, rate, is_own| Bar { label: label.to_owned(), rate, is_own };
    Some(vec![bar("Thalweg", rate, true), bar(other, rate / times, false)])
}

/// The bars of the table of gateways.
fn gateways(performance: &str) -> Option<Vec<Bar>> {
    let (_, table) = performance.split_once("| gateway | requests/s | p99, ms |")?;
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let bars: Option<Vec<Bar>> = rows
        .map(|row| {
            let cells = split(row);
            let label = (*cells.first()?).to_owned();
            Some(Bar { rate: number(cells.get(1)?)?, is_own: label == "Thalweg", label })
        })
        .collect();
    bars.filter(|bars| !bars.is_empty())
}

fn cells<'t>(text: &'t str, row: &str) -> Option<Vec<&'t str>> {
    let line = text.lines().find(|line| line.starts_with(&format!("| {row}")))?;
    Some(split(line))
}

fn split(row: &str) -> Vec<&str> {
    row.trim_matches('|').split('|').map(str::trim).collect()
}

fn number(cell: &str) -> Option<f64> {
    cell.replace(',', "").parse().ok()
}

fn print(groups: &[Group]) -> String {
    let mut body = String::new();
    let mut top = 44.0;
    for Group { title, bars } in groups {
        let _ = writeln!(body, "<text x=\"16\" y=\"{top}\" font-weight=\"bold\">{title}</text>");
        let most = bars.iter().map(|bar| bar.rate).fold(1.0, f64::max);
        for Bar { label, rate, is_own } in bars {
            top += STEP;
            let (width, color) = (rate / most * WIDTH, if *is_own { "#35618f" } else { "#b9b2a0" });
            let end = LEFT + width + 8.0;
            let _ = writeln!(
                body,
                "<text x=\"{}\" y=\"{top}\" text-anchor=\"end\">{label}</text>\
                 <rect x=\"{LEFT}\" y=\"{}\" width=\"{width:.1}\" height=\"16\" fill=\"{color}\"/>\
                 <text x=\"{end:.1}\" y=\"{top}\">{}</text>",
                LEFT - 10.0,
                top - 13.0,
                thousands(*rate),
            );
        }
        top += STEP * 1.5;
    }
    let height = top - 12.0;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 {height}\" width=\"720\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"14\" role=\"img\" aria-labelledby=\"title\">\n\
         <title id=\"title\">Requests a second of Thalweg and of others, from the summary of performance.md</title>\n\
         <rect width=\"720\" height=\"{height}\" fill=\"#fff\"/>\n<g fill=\"#222\">\n\
         <text x=\"16\" y=\"20\">Requests a second (more is better)</text>\n{body}</g>\n</svg>\n"
    )
}

/// The number without a fraction, with commas.
fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUMMARY: &str = "| an artist's albums, x | 11,469 | 10.2 | a |\n\
                           | the library's simple query | 8,765 | 8.1 | b |\n\n\
                           | gateway | requests/s | p99, ms | CPU |\n|---|---|---|---|\n\
                           | Thalweg | 6,279 | 12 | 0 |\n| Other | 57 | 2 | 19 |\n";

    #[test]
    fn each_bar_has_its_length_and_its_number() {
        let chart = draw(SUMMARY).expect("a chart");
        for part in [
            "width=\"430.0\" height=\"16\" fill=\"#35618f\"/><text x=\"628.0\" y=\"68\">11,469<",
            "width=\"42.2\" height=\"16\" fill=\"#b9b2a0\"/><text x=\"240.2\" y=\"92\">1,124<",
            ">Other</text>",
            ">57</text>",
        ] {
            assert!(chart.contains(part), "{part}\n{chart}");
        }
    }

    #[test]
    fn a_missing_row_is_no_chart() {
        assert_eq!(draw("| an artist's albums, x | 11,469 | 10.2 |"), None);
    }
}
