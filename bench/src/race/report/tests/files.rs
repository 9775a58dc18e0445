//! The files of a report.

use std::fs;

use expect_test::expect;

use crate::race::record::{Load, Run};
use crate::race::report::markdown::markdown;
use crate::race::report::{self, sample};

#[test]
fn the_markdown_is_tables() {
    let mut run = sample::run();
    run.suites[0].queries.retain(|query| {
        ["tracks_media_first_20", "albums_tracks_genre_all"].contains(&query.id.as_str())
    });
    let known = run.suites.clone();
    let report = super::report(run, |one| {
        known.iter().any(|suite| suite.queries.iter().any(|query| query.id == one.subject.query))
    });
    expect![[r#"
        Run `sample` of 2026-01-02T03:04:05Z, Sample processor (figures of a test), 2 cores, 24 GiB, Linux 6.18.
        Medians of 3 rounds of 10 s, the least and the most in brackets; closed loops of 16 connections, memory at 64.

        - **GraphJin** took no part: `graphjin` is not installed
        - \* marks figures of 5 measurements that were disturbed by something else on the machine, however often they were repeated.

        ### Shop on PostgreSQL

        Thalweg, and in brackets how many times better it is than the best of the contestants that it is compared with.

        | query | requests/s | share of the floor | p99 ms | CPU µs a request, server | database | database's floor | peak MiB | highest rate |
        |---|---|---|---|---|---|---|---|---|
        | tracks_media_first_20 | 29,940 (4.55 ×)\* | 60.2 % | 1.66 (4.55 ×) | 22.8 (6.67 ×) | 38 (1 ×) | 34.2 | 21 (17.8 ×) | 29,940 (4.55 ×) |
        | albums_tracks_genre_all | 725 (5.57 ×) | 52.4 % | 68.4 (5.57 ×) | 1,152 (6.67 ×) | 1,600 (1.00 ×) | 1,440 | 21 (17.8 ×) | 650 (9.29 ×) |

        | query | contestant | requests/s | p50 ms | p99 ms | max ms | CPU µs a request, server | database | load | peak MiB | highest rate | failures |
        |---|---|---|---|---|---|---|---|---|---|---|---|
        | tracks_media_first_20 | Thalweg | 29,940 (29,341 to 30,539)\* | 0.53 | 1.66 | 6.41 | 22.8 | 38 | 6 | 21 | 29,940 | 0 |
        | tracks_media_first_20 | PostGraphile 4 | 6,579 (6,447 to 6,710)\* | 2.43 | 7.54 | 29.2 | 152 | 38 | 6 | 373 | 6,580 | 0 |
        | tracks_media_first_20 | PostGraphile 4, two workers | 5,540 (5,429 to 5,651)\* | 2.89 | 8.95 | 34.7 | 181 | 39.9 | 6.00 | 690 | 5,540 | 0 |
        | tracks_media_first_20 | PostGraphile 5 | 4,244 (4,160 to 4,329)\* | 3.77 | 11.7 | 45.2 | 236 | 47.5 | 6.00 | 494 | 4,240 | 0 |
        | tracks_media_first_20 | pgbench, prepared | 49,751 (48,756 to 50,746)\* | 0.32 | 1.00 | 3.86 | – | 34.2 | 6 | – | – | 0 |
        | albums_tracks_genre_all | Thalweg | 725 (711 to 740) | 22.1 | 68.4 | 265 | 1,152 | 1,600 | 6.00 | 21 | 650 | 0 |
        | albums_tracks_genre_all | PostGraphile 4 | 130 (128 to 133) | 123 | 381 | 1,475 | 7,680 | 1,600 | 6.00 | 373 | 70 | 0 |
        | albums_tracks_genre_all | PostGraphile 4, two workers | 110 (107 to 112) | 146 | 452 | 1,751 | 9,124 | 1,681 | 6.00 | 690 | 50 | 0 |
        | albums_tracks_genre_all | PostGraphile 5 | its answer differs at albumsList[3] \| "name" ||||||||||
        | albums_tracks_genre_all | pgbench, prepared | 1,383 (1,355 to 1,411) | 11.6 | 35.9 | 139 | – | 1,440 | 6.00 | – | – | 0 |

        Without figures here: GraphJin (`graphjin` is not installed).

        Bytes of the answers: tracks_media_first_20 1,234, albums_tracks_genre_all 1,234.

        | query | contestant | burst | seconds to recover | rounds recovered | max ms | failures |
        |---|---|---|---|---|---|---|
        | tracks_media_first_20 | Thalweg | 44,910 requests/s for 2 s over 14,970 | 0.23 (0.22 to 0.23) | 3 of 3 | 4.84 | 0 |
        | tracks_media_first_20 | PostGraphile 4 | 9,870 requests/s for 2 s over 3,290 | 1.52 (1.49 to 1.55) | 3 of 3 | 11.0 | 0 |
        | tracks_media_first_20 | PostGraphile 4, two workers | 8,310 requests/s for 2 s over 2,770 | 1.80 (1.77 to 1.84) | 3 of 3 | 12.5 | 0 |
        | tracks_media_first_20 | PostGraphile 5 | 6,360 requests/s for 2 s over 2,120 | – | 0 of 3 | 15.5 | 0 |
        | albums_tracks_genre_all | Thalweg | 1,080 requests/s for 2 s over 360 | 11.5 (11.3 to 11.8) | 3 of 3 | 134 | 0 |
        | albums_tracks_genre_all | PostGraphile 4 | 210 requests/s for 2 s over 70 | 76.8 (75.3 to 78.3) | 3 of 3 | 447 | 0 |
        | albums_tracks_genre_all | PostGraphile 4, two workers | 150 requests/s for 2 s over 50 | 91.2 (89.4 to 93.0) | 3 of 3 | 520 | 0 |

        ### Meetups on PostgreSQL

        Thalweg, and in brackets how many times better it is than the best of the contestants that it is compared with.

        | query | requests/s | share of the floor | p99 ms | CPU µs a request, server | database | database's floor | peak MiB | highest rate |
        |---|---|---|---|---|---|---|---|---|
        | no_nest_50 | 24,630 (5.12 ×) | 56.2 % | 2.01 (5.12 ×) | 31.2 (6.67 ×) | 44 (1 ×) | 39.6 | 21 (17.8 ×) | 24,630 (5.12 ×) |

        | query | contestant | requests/s | p50 ms | p99 ms | max ms | CPU µs a request, server | database | load | peak MiB | highest rate | failures |
        |---|---|---|---|---|---|---|---|---|---|---|---|
        | no_nest_50 | Thalweg | 24,630 (24,138 to 25,123) | 0.65 | 2.01 | 7.80 | 31.2 | 44 | 6 | 21 | 24,630 | 0 |
        | no_nest_50 | PostGraphile 4 | 4,808 (4,712 to 4,904) | 3.33 | 10.3 | 39.9 | 208 | 44 | 6 | 373 | 4,810 | 0 |
        | no_nest_50 | PostGraphile 4, two workers | 4,048 (3,968 to 4,130) | 3.95 | 12.3 | 47.4 | 247 | 46.2 | 6.00 | 690 | 4,050 | 0 |
        | no_nest_50 | PostGraphile 5 | 3,102 (3,040 to 3,164) | 5.16 | 16.0 | 61.9 | 322 | 55.0 | 6.00 | 494 | 3,100 | 0 |
        | no_nest_50 | pgbench, prepared | 43,860 (42,982 to 44,737) | 0.36 | 1.13 | 4.38 | – | 39.6 | 6 | – | – | 0 |

        Without figures here: GraphJin (`graphjin` is not installed).

        Bytes of the answers: no_nest_50 1,234.

        | query | contestant | burst | seconds to recover | rounds recovered | max ms | failures |
        |---|---|---|---|---|---|---|
        | no_nest_50 | Thalweg | 36,960 requests/s for 2 s over 12,320 | 0.31 (0.31 to 0.32) | 3 of 3 | 5.53 | 0 |
        | no_nest_50 | PostGraphile 4 | 7,200 requests/s for 2 s over 2,400 | 2.08 (2.04 to 2.12) | 3 of 3 | 14.0 | 0 |
        | no_nest_50 | PostGraphile 4, two workers | 6,060 requests/s for 2 s over 2,020 | 2.47 (2.42 to 2.52) | 3 of 3 | 16.0 | 0 |
        | no_nest_50 | PostGraphile 5 | 4,650 requests/s for 2 s over 1,550 | – | 0 of 3 | 20.0 | 0 |

        | query | contestant | users with p95 < 500 ms |
        |---|---|---|
        | no_nest_50 | Thalweg | ≥ 16,000 |
        | no_nest_50 | PostGraphile 4 | 8,000 |
        | no_nest_50 | PostGraphile 4, two workers | 8,000 |
        | no_nest_50 | PostGraphile 5 | 8,000 |

        ### Start-up

        | source | contestant | tables | first answer s | CPU s | memory MiB | KiB a table |
        |---|---|---|---|---|---|---|
        | postgres | Thalweg | 10 | 0.033 | 0.026 | 12.4 | – |
        | postgres | Thalweg | 100 | 0.060 (0.059 to 0.061) | 0.048 | 15.9 | 40 |
        | postgres | Thalweg | 1,000 | 0.33 | 0.26 | 51.1 | 40 |
        | postgres | Thalweg | 5,000 | 1.53 (1.51 to 1.55) | 1.22 | 207 | 40 |
        | postgres | PostGraphile 4 | 10 | 0.96 (0.95 to 0.97) | 0.77 | 14.0 | – |
        | postgres | PostGraphile 4 | 100 | 1.50 (1.48 to 1.52) | 1.20 | 31.5 | 200 |
        | postgres | PostGraphile 4 | 1,000 | 6.90 (6.83 to 6.97) | 5.52 | 207 | 200 |
        | postgres | PostGraphile 4 | 5,000 | 30.9 (30.6 to 31.2) | 24.7 | 989 | 200 |
        | postgres | PostGraphile 5 | 10 | 1.49 (1.48 to 1.50) | 1.19 | 14.9 | – |
        | postgres | PostGraphile 5 | 100 | 2.30 (2.28 to 2.32) | 1.84 | 41.3 | 300 |
        | postgres | PostGraphile 5 | 1,000 | 10.4 (10.3 to 10.5) | 8.32 | 305 | 300 |
        | postgres | PostGraphile 5 | 5,000 | no answer within 300 seconds ||||
        | sqlite | Thalweg | 10 | 0.022 | 0.018 | 12.4 | – |
        | sqlite | Thalweg | 100 | 0.040 | 0.032 | 15.7 | 38 |
        | sqlite | Thalweg | 1,000 | 0.22 | 0.18 | 49.1 | 38 |
        | sqlite | Thalweg | 5,000 | 1.02 (1.01 to 1.03) | 0.82 | 198 | 38 |
    "#]].assert_eq(&markdown(&report));
}

#[test]
fn the_json_has_every_figure_with_its_spread() {
    let mut run = sample::run();
    run.suites.truncate(1);
    run.suites[0].queries.truncate(1);
    run.contestants.retain(|contestant| contestant.id != "pgbench");
    let mut report = super::report(run, |one| {
        let is_kept = matches!(one.load, Load::Closed { connections: 16 });
        is_kept && one.subject.query == "artistById" && one.subject.contestant == "thalweg"
    });
    report.starts.truncate(1);
    report.starts[0].points.truncate(1);
    let json = serde_json::to_value(&report).unwrap();
    let part = serde_json::json!({ "queries": json["queries"], "starts": json["starts"] });
    expect![[r#"
        {
          "queries": [
            {
              "suite": "shop-postgres",
              "query": "artistById",
              "entries": [
                {
                  "contestant": "thalweg",
                  "absent": null,
                  "points": [
                    {
                      "load": {
                        "kind": "closed",
                        "connections": 16
                      },
                      "rounds": 3,
                      "disturbed": 0,
                      "requests": 1578946,
                      "failures": 0,
                      "compared": 300,
                      "requests_per_second": {
                        "median": 52631.5,
                        "least": 51578.9,
                        "most": 53684.2
                      },
                      "p50": {
                        "median": 304.0,
                        "least": 298.03921568627453,
                        "most": 310.2040816326531
                      },
                      "p90": {
                        "median": 486.40000000000003,
                        "least": 476.8627450980393,
                        "most": 496.32653061224494
                      },
                      "p95": {
                        "median": 608.0,
                        "least": 596.0784313725491,
                        "most": 620.4081632653061
                      },
                      "p99": {
                        "median": 942.4,
                        "least": 923.921568627451,
                        "most": 961.6326530612246
                      },
                      "max": {
                        "median": 3648.0,
                        "least": 3576.4705882352946,
                        "most": 3722.448979591837
                      },
                      "cpu": {
                        "server": {
                          "median": 0.012000011020418285,
                          "least": 0.012000002352941639,
                          "most": 0.012000018000027
                        },
                        "database": {
                          "median": 0.020000018367363804,
                          "least": 0.020000003921569396,
                          "most": 0.020000030000044997
                        },
                        "load": {
                          "median": 0.006000005510209142,
                          "least": 0.006000001176470819,
                          "most": 0.0060000090000135
                        },
                        "other": {
                          "median": 0.00009500014250021376,
                          "least": 0.00009313727316417121,
                          "most": 0.00009693886453569192
                        },
                        "work": {
                          "median": 0.03200002938778209,
                          "least": 0.032000006274511036,
                          "most": 0.032000048000071994
                        }
                      },
                      "peak_memory": {
                        "median": 22020096.0,
                        "least": 22020096.0,
                        "most": 22020096.0
                      },
                      "recovery_seconds": null,
                      "unrecovered": 0
                    }
                  ],
                  "highest_rate": null,
                  "most_users": null,
                  "comparisons": [
                    {
                      "measure": "requests_per_second",
                      "value": {
                        "median": 52631.5,
                        "least": 51578.9,
                        "most": 53684.2
                      },
                      "yardstick": null,
                      "floor": null
                    },
                    {
                      "measure": "p99",
                      "value": {
                        "median": 942.4,
                        "least": 923.921568627451,
                        "most": 961.6326530612246
                      },
                      "yardstick": null,
                      "floor": null
                    },
                    {
                      "measure": "server_cpu",
                      "value": {
                        "median": 0.012000011020418285,
                        "least": 0.012000002352941639,
                        "most": 0.012000018000027
                      },
                      "yardstick": null,
                      "floor": null
                    },
                    {
                      "measure": "database_cpu",
                      "value": {
                        "median": 0.020000018367363804,
                        "least": 0.020000003921569396,
                        "most": 0.020000030000044997
                      },
                      "yardstick": null,
                      "floor": null
                    },
                    {
                      "measure": "work_cpu",
                      "value": {
                        "median": 0.03200002938778209,
                        "least": 0.032000006274511036,
                        "most": 0.032000048000071994
                      },
                      "yardstick": null,
                      "floor": null
                    }
                  ]
                },
                {
                  "contestant": "postgraphile-4",
                  "absent": "not measured",
                  "points": [],
                  "highest_rate": null,
                  "most_users": null,
                  "comparisons": []
                },
                {
                  "contestant": "postgraphile-4-workers",
                  "absent": "not measured",
                  "points": [],
                  "highest_rate": null,
                  "most_users": null,
                  "comparisons": []
                },
                {
                  "contestant": "postgraphile-5",
                  "absent": "not measured",
                  "points": [],
                  "highest_rate": null,
                  "most_users": null,
                  "comparisons": []
                },
                {
                  "contestant": "graphjin",
                  "absent": "`graphjin` is not installed",
                  "points": [],
                  "highest_rate": null,
                  "most_users": null,
                  "comparisons": []
                }
              ]
            }
          ],
          "starts": [
            {
              "source": "postgres",
              "contestant": "thalweg",
              "points": [
                {
                  "tables": 10,
                  "rounds": 3,
                  "missing": null,
                  "first_answer_seconds": {
                    "median": 0.033,
                    "least": 0.032670000000000005,
                    "most": 0.03333
                  },
                  "cpu_seconds": {
                    "median": 0.026400000000000003,
                    "least": 0.026136000000000006,
                    "most": 0.026664
                  },
                  "memory": {
                    "median": 12992512.0,
                    "least": 12992512.0,
                    "most": 12992512.0
                  }
                }
              ],
              "memory_per_table": 40960.0
            }
          ]
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&part).unwrap());
}

#[test]
fn all_three_files_are_written_and_the_newest_run_is_found() {
    let folder = sample::folder("newest");
    for (name, started) in [("old", "2026-01-01T00:00:00Z"), ("new", "2026-01-03T00:00:00Z")] {
        let run = Run { started: started.to_owned(), ..sample::run() };
        let made = sample::write(&format!("newest-{name}"), &run);
        fs::rename(made, folder.join(name)).unwrap();
    }
    fs::create_dir_all(folder.join("no-run")).unwrap();
    let newest = report::newest(&folder).unwrap();
    assert_eq!(newest, folder.join("new"));
    let paths = report::write(&newest).unwrap();
    let texts =
        [paths.page, paths.json, paths.markdown].map(|path| fs::read_to_string(path).unwrap());
    let [page, json, markdown] = texts;
    // Texts of the run neither end the page's data nor stand as elements in it.
    let data = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap().1;
    let data = data.split_once("</script>").unwrap().0;
    let read = |text: &str| -> serde_json::Value { serde_json::from_str(text).unwrap() };
    assert_eq!(read(data), read(&json));
    assert!(markdown.starts_with("Run `new` of 2026-01-03T00:00:00Z, "), "{markdown}");
    assert!(matches!(report::newest(&folder.join("no-run")), Err(report::ReportError::NoRuns(_))));
}
