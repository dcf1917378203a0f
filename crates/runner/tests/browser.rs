//! Pages of the report in a browser, with texts in them that nothing has escaped: no script but the page's own runs, and nothing is loaded.

use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The page as the browser has it when its scripts have run; none where there is no browser.
fn shown(page: &Path) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let profile = format!("--user-data-dir={}", folder.path().display());
    let output = BROWSERS.iter().find_map(|browser| {
        let mut command = Command::new(browser);
        command.args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--virtual-time-budget=2000",
            &profile,
            "--dump-dom",
        ]);
        command.arg(format!("file://{}", page.display())).output().ok()
    })?;
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn hostile_texts_neither_run_nor_load() {
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/report/gil2013.html");
    let page = fs::read_to_string(committed).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let loaded = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&loaded);
    // Whoever asks for something gets nothing. A browser may connect before it knows that it must not ask.
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
    let Some(dom) = shown(&path) else { return eprintln!("there is no browser here") };
    assert!(dom.contains("<title>mbsbench: "), "{}", &dom[..dom.len().min(500)]);
    assert!(!dom.contains("<title>pwned"));
    assert_eq!(loaded.load(Ordering::SeqCst), 0, "something was loaded");
    // The page's own script has run: it shows the field that finds statements.
    assert!(page.contains("<form class=\"search\" hidden") && !dom.contains("<form class=\"search\" hidden"));

    // Without the policy the same texts do all of that, so that the test can fail.
    let (start, rest) = page.split_once("<meta http-equiv=\"Content-Security-Policy\"").unwrap();
    let open = [start, rest.split_once('>').unwrap().1].concat();
    fs::write(&path, open.replacen("<body>", &format!("<body>{hostile}"), 1)).unwrap();
    assert!(shown(&path).unwrap().contains("<title>pwned"));
    assert!(loaded.load(Ordering::SeqCst) > 0);
}
