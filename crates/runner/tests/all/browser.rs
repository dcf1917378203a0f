//! Pages of the report in a browser, with hostile texts that were not escaped: only the page's own script runs, and
//! nothing is loaded.

use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The page in a browser after its scripts have run; `None` if there is no browser.
fn shown(page: &Path) -> Option<String> {
    shown_with(page, &["--virtual-time-budget=2000"])
}

/// The page in a browser with further options.
fn shown_with(page: &Path, options: &[&str]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let profile = format!("--user-data-dir={}", folder.path().display());
    let output = BROWSERS.iter().find_map(|browser| {
        let mut command = Command::new(browser);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", &profile, "--dump-dom"]);
        command.args(options).arg(format!("file://{}", page.display())).output().ok()
    })?;
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn hostile_texts_neither_run_nor_load() {
    let page = fs::read_to_string(super::pages::results().join("report/gil2013.html")).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let loaded = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&loaded);
    // Every request is counted and gets no answer. A browser may connect before it knows that it must not send a
    // request.
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.set_read_timeout(Some(Duration::from_millis(300)));
            let is_asked = stream.read(&mut [0; 1]).is_ok_and(|bytes| bytes > 0);
            count.fetch_add(usize::from(is_asked), Ordering::SeqCst);
        }
    });
    let hostile = format!(
        "<script>document.title='pwned'</script><img src='http://{address}/a.png' onerror=\"document.title='pwned'\">\
         <svg onload=\"document.title='pwned'\"></svg><iframe src='http://{address}/b'></iframe>\
         <link rel=stylesheet href='http://{address}/c.css'><style>body {{ background: url(http://{address}/d.png) }}</style>\
         <script src='http://{address}/e.js'></script><base href='http://{address}/'>"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    fs::write(&path, page.replacen("<body>", &format!("<body>{hostile}"), 1)).unwrap();
    let Some(dom) = shown(&path) else { return eprintln!("skipped: no browser is installed") };
    assert!(dom.contains("<title>mbsbench: "), "{}", &dom[..dom.len().min(500)]);
    assert!(!dom.contains("<title>pwned"));
    assert_eq!(loaded.load(Ordering::SeqCst), 0, "something was loaded");
    // The page's own script has run: it shows the search form.
    assert!(page.contains("<form class=\"search\" hidden") && !dom.contains("<form class=\"search\" hidden"));

    // Without the policy the same texts run and load, so the test can fail.
    let (start, rest) = page.split_once("<meta http-equiv=\"Content-Security-Policy\"").unwrap();
    let open = [start, rest.split_once('>').unwrap().1].concat();
    fs::write(&path, open.replacen("<body>", &format!("<body>{hostile}"), 1)).unwrap();
    assert!(shown(&path).unwrap().contains("<title>pwned"));
    assert!(loaded.load(Ordering::SeqCst) > 0);
}

/// Actions of a viewer on the page, and the resulting picture: at first, after the slider was moved, and during
/// playing.
const VIEWER: &str = "\
const frame = document.querySelector('iframe');
frame.loading = 'eager';
frame.scrollIntoView();
const watch = (tries) => {
  const inside = frame.contentDocument;
  const [button, slider] = ['button', 'input'].map((name) => inside?.querySelector(name));
  if (!button) return tries > 0 ? void setTimeout(() => watch(tries - 1), 100) : void (document.title = 'nothing');
  const [group, clock] = ['[data-moving]', '[data-time]'].map((name) => inside.querySelector(name));
  const seen = () => `${group.getAttribute('transform')} at ${clock.textContent.trim()}`;
  const said = [seen()];
  slider.value = 30;
  slider.dispatchEvent(new Event('input'));
  said.push(seen());
  button.click();
  setTimeout(() => {
    said.push(seen());
    button.click();
    document.title = said.join(';');
  }, 700);
};
watch(40);";

/// Time for which the page of that test is open, s.
const OPEN: u64 = 6;

/// An animation beside a page plays in it under the policy of the page, and is blocked without permission.
#[test]
fn animations_move_on_their_page() {
    let folder = tempfile::tempdir().unwrap();
    let paper = folder.path().join("experiments/films");
    fs::create_dir_all(&paper).unwrap();
    let experiment = "id: films/swing\npaper: films\nmodel: pendulum\nspan: [0.0, 3.0]\nstep: 0.01\nmethod: rk5\n\
                      measures: [steps_accepted]\nanimations: [{ id: in-motion, title: A pendulum, frames: 61 }]\n";
    fs::write(paper.join("swing.yaml"), experiment).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_mbsbench"));
    let output = program.args(["reproduce", "films"]).current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let path = folder.path().join("results/report/films-appendix.html");
    let page = fs::read_to_string(&path).unwrap();
    let hash = format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(VIEWER)));
    // The browser dumps the page when everything is loaded. This picture delays it, because nothing is drawn in virtual
    // time.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || {
                thread::sleep(Duration::from_secs(OPEN));
                drop(stream);
            });
        }
    });
    let further = format!("img-src http://{address}; script-src {hash} ");
    let watched = page.replacen("script-src ", &further, 1);
    let viewer = format!("<img src='http://{address}/late.png' alt=''><script>{VIEWER}</script></body>");
    let watched = watched.replacen("</body>", &viewer, 1);
    assert!(watched.contains(&hash) && watched.contains("<iframe"));
    let title = |text: &str| {
        fs::write(&path, text).unwrap();
        // Without this option no document may access another file.
        let dom = shown_with(&path, &["--allow-file-access-from-files"])?;
        Some(dom.split_once("<title>").unwrap().1.split("</title>").next().unwrap().to_owned())
    };
    let Some(said) = title(&watched) else { return eprintln!("skipped: no browser is installed") };
    let said: Vec<&str> = said.split(';').collect();
    let [first, slid, played] = said[..] else { panic!("{said:?}") };
    assert!(first.ends_with("at t = 0.000 s") && slid.ends_with("at t = 1.500 s"), "{said:?}");
    assert!(first != slid && slid != played && played.starts_with("translate("), "{said:?}");
    let time = |text: &str| text.rsplit("t = ").next().unwrap().trim_end_matches(" s").parse::<f64>().unwrap();
    assert!((1.55..=3.0).contains(&time(played)), "{said:?}");
    // The policy permits the frame.
    let closed = title(&watched.replacen("; frame-src 'self'", "", 1)).unwrap();
    assert_eq!(closed, "nothing");
}
