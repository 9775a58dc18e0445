//! The layout of the screen.

use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Cell, Clear, Paragraph, Row, Sparkline, Table};

use super::plain::{clean, name_of, work_of};
use super::quantity::{age, rate, seconds};
use super::screen::Screen;
use super::view::{PERCENTILES, Section, View};

/// The width of a section, with its border.
const SECTION_WIDTH: u16 = 32;

/// The height of the graph of requests, with its border.
const GRAPH_HEIGHT: u16 = 5;

const KEYS: [(&str, &str); 3] =
    [("q, Esc, Ctrl-C", "quit"), ("s", "sort the operations"), ("h, ?", "help")];

const TITLE: Style = Style::new().add_modifier(Modifier::BOLD);
const QUIET: Style = Style::new().fg(Color::DarkGray);

pub(super) fn draw(screen: &Screen, frame: &mut Frame<'_>) {
    let Some(view) = &screen.view else { return };
    let area = frame.area();
    let most = usize::from(area.width / SECTION_WIDTH).max(1);
    // As many in each row.
    let columns = view.sections.len().div_ceil(view.sections.len().div_ceil(most).max(1)).max(1);
    let rows: Vec<&[Section]> = view.sections.chunks(columns).collect();
    let heights: Vec<u16> = rows.iter().map(|row| height(row)).collect();
    let sections: u16 = heights.iter().sum();
    let graph = if area.height > sections + 3 * GRAPH_HEIGHT { GRAPH_HEIGHT } else { 0 };
    // A small terminal shows the beginnings of the sections.
    let sections = sections.min(area.height.saturating_sub(2 * GRAPH_HEIGHT));
    let [head, graph, upper, operations, running, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(graph),
        Constraint::Length(sections),
        Constraint::Fill(1),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(area);
    draw_head(screen, view, frame, head);
    if graph.height > 0 {
        let title = format!(" requests: {} ", rate(view.requests_per_second));
        let block = Block::bordered().title(Span::styled(title, TITLE)).border_style(QUIET);
        let line = Sparkline::default().block(block).data(screen.rates.iter().copied());
        frame.render_widget(line.style(Style::new().fg(Color::Cyan)), graph);
    }
    let areas = Layout::vertical(heights.iter().copied().map(Constraint::Length)).split(upper);
    for (row, area) in rows.iter().zip(areas.iter()) {
        let widths = vec![Constraint::Fill(1); row.len()];
        for (section, area) in row.iter().zip(Layout::horizontal(widths).split(*area).iter()) {
            draw_section(section, frame, *area);
        }
    }
    draw_operations(screen, view, frame, operations);
    draw_running(view, frame, running);
    draw_foot(screen, frame, foot);
    if screen.shows_help {
        draw_help(frame, area);
    }
}

/// The height of sections beside each other, with their borders.
fn height(sections: &[Section]) -> u16 {
    let lines = sections.iter().map(|section| section.lines.len()).max().unwrap_or(0);
    u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(2)
}

fn draw_head(screen: &Screen, view: &View, frame: &mut Frame<'_>, area: Rect) {
    let name = Span::styled(format!("thalweg {}", clean(&view.version)), TITLE);
    let rest = format!(" at {}, running for {}", screen.address, age(view.uptime));
    frame.render_widget(Line::from(vec![name, Span::raw(rest)]), area);
}

fn draw_section(section: &Section, frame: &mut Frame<'_>, area: Rect) {
    let block = block(section.title);
    let width = usize::from(block.inner(area).width);
    let lines = section.lines.iter().map(|(name, value)| {
        let (name, value) = (clean(name), clean(value));
        let gap = width.saturating_sub(name.chars().count() + value.chars().count()).max(1);
        Line::from(vec![Span::styled(name, QUIET), Span::raw(" ".repeat(gap)), Span::raw(value)])
    });
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()).block(block), area);
}

fn draw_operations(screen: &Screen, view: &View, frame: &mut Frame<'_>, area: Rect) {
    let mut operations = view.operations.clone();
    screen.sort.sort(&mut operations);
    let rows = operations.iter().map(|operation| {
        let mut cells = vec![rate(operation.per_second)];
        cells.extend(operation.percentiles.map(seconds));
        cells.extend([format!("{:.2}", operation.load), clean(&operation.name)]);
        Row::new(cells.into_iter().map(Cell::from))
    });
    let [p50, p95, p99] = PERCENTILES.map(|(name, _)| name);
    let header = Row::new(["requests", p50, p95, p99, "load", "name"]).style(QUIET);
    let widths = [10, 9, 9, 9, 6].map(Constraint::Length).into_iter().chain([Constraint::Fill(1)]);
    let title = format!("Operations by {}", screen.sort.name());
    let table = Table::new(rows, widths).header(header).block(block(&title));
    frame.render_widget(table, area);
}

fn draw_running(view: &View, frame: &mut Frame<'_>, area: Rect) {
    let rows = view.running.listed.iter().map(|operation| {
        let elapsed = seconds(Some(operation.elapsed.as_secs_f64()));
        let texts = [&operation.kind, &operation.request_id].map(|text| clean(text));
        let [kind, id] = texts;
        Row::new([elapsed, kind, name_of(operation), id, work_of(operation)])
    });
    let header = Row::new(["for", "kind", "name", "request id", "statements"]).style(QUIET);
    let widths = [
        Constraint::Length(9),
        Constraint::Length(12),
        Constraint::Max(24),
        Constraint::Max(20),
        Constraint::Fill(1),
    ];
    let title = format!("Running operations: {}", view.running.total);
    frame.render_widget(Table::new(rows, widths).header(header).block(block(&title)), area);
}

fn draw_foot(screen: &Screen, frame: &mut Frame<'_>, area: Rect) {
    let line = match &screen.failure {
        Some(failure) => Line::styled(clean(failure), Style::new().fg(Color::Red)),
        None => Line::styled("q quit   s sort   h help", QUIET),
    };
    frame.render_widget(line, area);
}

fn draw_help(frame: &mut Frame<'_>, area: Rect) {
    let lines: Vec<_> =
        KEYS.iter().map(|(key, meaning)| Line::raw(format!(" {key:16}{meaning} "))).collect();
    let (width, height) = (44.min(area.width), (lines.len() as u16 + 2).min(area.height));
    let place = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    frame.render_widget(Clear, place);
    let block = block("Keys").title_alignment(Alignment::Center);
    frame.render_widget(Paragraph::new(lines).block(block), place);
}

fn block(title: &str) -> Block<'static> {
    Block::bordered().title(Span::styled(format!(" {title} "), TITLE)).border_style(QUIET)
}
