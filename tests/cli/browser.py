"""Opens a report in headless Chromium and uses it as a person would: hovers, sorts, downloads.

usage: browser.py REPORT.html FOLDER     FOLDER: empty, for the profile and the download

Drives chromedriver over HTTP. Prints one JSON object of what it saw; fails only where the browser
cannot be driven at all.
"""

import json
import os
import subprocess
import sys
import time
import urllib.request

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--window-size=1200,900"]


def call(address, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, method=method,
                                     headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["value"]


class Page:
    """One page of a browser."""

    def __init__(self, address, folder):
        self.address = address
        options = {"args": FLAGS + ["--user-data-dir=" + folder + "/profile"],
                   "prefs": {"download.default_directory": folder + "/download",
                             "download.prompt_for_download": False}}
        capabilities = {"browserName": "chrome", "goog:chromeOptions": options,
                        "goog:loggingPrefs": {"browser": "ALL"}}
        session = call(address, "POST", "/session",
                       {"capabilities": {"alwaysMatch": capabilities}})
        self.path = "/session/" + session["sessionId"]

    def post(self, command, body):
        return call(self.address, "POST", self.path + command, body)

    def run(self, script, *arguments):
        return self.post("/execute/sync", {"script": script, "args": list(arguments)})

    def pointer(self, selector, *steps):
        """Moves the mouse onto an element; steps follow."""
        spot = self.run("const e = document.querySelector(arguments[0]);"
                        "e.scrollIntoView({block: 'center'});"
                        "const b = e.getBoundingClientRect();"
                        "return [b.x + b.width / 2, b.y + b.height / 2]", selector)
        move = {"type": "pointerMove", "duration": 0, "x": round(spot[0]), "y": round(spot[1])}
        actions = [move] + [{"type": step, "button": 0} for step in steps]
        self.post("/actions", {"actions": [{"type": "pointer", "id": "mouse",
                                            "parameters": {"pointerType": "mouse"},
                                            "actions": actions}]})

    def click(self, selector):
        self.pointer(selector, "pointerDown", "pointerUp")


def column(page, table, number):
    return page.run("return [...document.querySelectorAll(arguments[0] + ' tbody tr')]"
                    ".map(row => row.cells[arguments[1]].textContent)", table, number)


def use(page, report, folder):
    seen = {}
    page.post("/url", {"url": "file://" + report})
    mark = "svg g[data-tip]"
    seen["before_hover"] = page.run("return getComputedStyle(tip).display")
    page.pointer(mark)
    seen["tip"] = page.run("return document.querySelector('#tip').innerText")
    seen["tip_expected"] = page.run("return document.querySelector(arguments[0]).dataset.tip", mark)
    seen["tip_display"] = page.run("return getComputedStyle(tip).display")
    page.pointer("h1")
    seen["after_hover"] = page.run("return getComputedStyle(tip).display")
    head = "#points-1 th:nth-child(3)"
    page.click(head)
    seen["up"] = column(page, "#points-1", 2)
    page.click(head)
    seen["down"] = column(page, "#points-1", 2)
    page.click("#summary th:nth-child(1)")
    seen["names"] = column(page, "#summary", 0)
    seen["sort"] = page.run("return document.querySelector(arguments[0]).getAttribute('aria-sort')",
                            head)
    os.makedirs(folder + "/download", exist_ok=True)
    page.click("#download")
    for _ in range(100):
        done = [name for name in os.listdir(folder + "/download") if name.endswith(".json")]
        if done:
            break
        time.sleep(0.1)
    seen["downloads"] = os.listdir(folder + "/download")
    seen["title"] = page.run("return document.title")
    seen["scripts"] = page.run("return document.scripts.length")
    seen["overflow"] = page.run("return document.documentElement.scrollWidth > innerWidth")
    seen["resources"] = page.run("return performance.getEntriesByType('resource').length")
    seen["log"] = page.post("/se/log", {"type": "browser"})
    return seen


def main(report, folder):
    driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL)
    try:
        port = None
        for line in driver.stdout:
            if "started successfully on port" in line:
                port = line.rstrip(".\n").split()[-1]
                break
        page = Page("http://127.0.0.1:" + port, folder)
        try:
            print(json.dumps(use(page, report, folder)))
        finally:
            call(page.address, "DELETE", page.path)
    finally:
        driver.terminate()
        driver.wait()


main(sys.argv[1], sys.argv[2])
