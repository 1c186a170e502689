// Opens pages in headless Chromium and tells what it sees, over the DevTools protocol: a list of views on standard
// input (file, width, scheme, and where to write a picture or a PDF), what was found in each on standard output.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [chromium, axeFile, profile] = process.argv.slice(2);
const views = JSON.parse(readFileSync(0, "utf8"));
const axe = readFileSync(axeFile, "utf8");

const browser = spawn(chromium, [
  "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
  "--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank",
]);

function address() {
  return new Promise((resolve, reject) => {
    let said = "";
    browser.stderr.on("data", (text) => {
      said += text;
      const found = said.match(/DevTools listening on (ws:\S+)/);
      if (found) resolve(found[1]);
    });
    browser.on("exit", () => reject(new Error(`chromium ended: ${said}`)));
  });
}

class Tools {
  constructor(socket) {
    this.socket = socket;
    this.number = 0;
    this.waiting = new Map();
    this.events = [];
    this.listeners = [];
    socket.onmessage = ({ data }) => this.received(JSON.parse(data));
  }

  received(message) {
    if (message.id !== undefined) {
      const { resolve, reject } = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) reject(new Error(message.error.message));
      else resolve(message.result);
    } else {
      this.events.push(message);
      this.listeners = this.listeners.filter((one) => !one(message));
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.number;
    this.socket.send(JSON.stringify({ id, method, params, sessionId }));
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  event(sessionId, method) {
    return new Promise((resolve) => this.listeners.push((message) => {
      const is = message.sessionId === sessionId && message.method === method;
      if (is) resolve(message.params);
      return is;
    }));
  }
}

// runs in the page: what is wider than it, and what overlaps in the picture
function measured() {
  const found = { wide: [], crossed: [], overlapping: [] };
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) found.wide.push(`page: ${document.documentElement.scrollWidth}`);
  for (const element of document.querySelectorAll("body *")) {
    const box = element.getBoundingClientRect();
    if (box.width && box.right > width + 1 && !element.closest(".scroll") && !element.matches(".skip")) {
      found.wide.push(`${element.tagName}.${element.className}: ${Math.round(box.right)}`);
    }
  }
  const inside = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
  const apart = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
  for (const svg of document.querySelectorAll("svg.picture")) {
    if (!svg.getBoundingClientRect().width) continue;
    const boxes = (kind) => [...svg.querySelectorAll(kind)].map((e) => ({ name: e.lastChild?.textContent || e.className.baseVal, box: e.getBoundingClientRect() }));
    const texts = boxes("text"), frames = boxes(".frame");
    for (const text of [...texts, ...frames]) {
      if (!inside(text.box, svg.getBoundingClientRect())) found.crossed.push(`${text.name} leaves the picture`);
      for (const frame of frames) {
        const fine = inside(text.box, frame.box) || apart(text.box, frame.box) || inside(frame.box, text.box);
        if (!fine) found.crossed.push(`${text.name} crosses ${frame.name}`);
      }
    }
    texts.forEach((one, i) => texts.slice(i + 1).forEach((two) => {
      const shrunk = { left: one.box.left, right: one.box.right, top: one.box.top + 3, bottom: one.box.bottom - 3 };
      if (!apart(shrunk, two.box)) found.overlapping.push(`${one.name} and ${two.name}`);
    }));
  }
  const pictures = [...document.querySelectorAll("svg.picture")].filter((svg) => svg.getBoundingClientRect().width);
  return JSON.stringify({ ...found, pictures: pictures.length, title: document.title });
}

async function seen(tools, view) {
  const { targetId } = await tools.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await tools.send("Target.attachToTarget", { targetId, flatten: true });
  const page = (method, params) => tools.send(method, params, sessionId);
  const value = async (expression) => {
    const { result, exceptionDetails } = await page("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await page(`${domain}.enable`);
  await page("Emulation.setDeviceMetricsOverride", { width: view.width, height: 900, deviceScaleFactor: 1, mobile: view.width < 500 });
  await page("Emulation.setEmulatedMedia", { media: view.media ?? "", features: [{ name: "prefers-color-scheme", value: view.scheme }] });
  const loaded = tools.event(sessionId, "Page.loadEventFired");
  await page("Page.navigate", { url: pathToFileURL(view.file).href });
  await loaded;
  const found = JSON.parse(await value(`(${measured})()`));
  await value(axe);
  const judged = JSON.parse(await value("axe.run(document, { resultTypes: ['violations'] }).then((said) => JSON.stringify(said.violations))"));
  if (view.picture) {
    const { data } = await page("Page.captureScreenshot", { captureBeyondViewport: true, format: "png" });
    writeFileSync(view.picture, Buffer.from(data, "base64"));
  }
  let pages = 0;
  if (view.pdf) {
    const { data } = await page("Page.printToPDF", { paperWidth: 8.27, paperHeight: 11.69, printBackground: true });
    const pdf = Buffer.from(data, "base64");
    writeFileSync(view.pdf, pdf);
    pages = (pdf.toString("latin1").match(/\/Type\s*\/Page\b/g) ?? []).length;
  }
  const events = tools.events.filter((event) => event.sessionId === sessionId);
  tools.events = [];
  await tools.send("Target.closeTarget", { targetId });
  const told = events.flatMap(({ method, params }) => {
    if (method === "Runtime.exceptionThrown") return [params.exceptionDetails.text];
    if (method === "Log.entryAdded") return [params.entry.text];
    return method === "Runtime.consoleAPICalled" ? [params.args.map((one) => one.value).join(" ")] : [];
  });
  return {
    ...found,
    console: told,
    requests: events.filter((event) => event.method === "Network.requestWillBeSent").map((event) => event.params.request.url),
    violations: judged.map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary}`).join("; ")}`),
    pages,
  };
}

const socket = new WebSocket(await address());
await new Promise((resolve, reject) => { socket.onopen = resolve; socket.onerror = reject; });
const tools = new Tools(socket);
const all = [];
for (const view of views) all.push(await seen(tools, view));
process.stdout.write(JSON.stringify(all));
browser.removeAllListeners("exit");
const ended = new Promise((resolve) => browser.once("exit", resolve));
tools.send("Browser.close").catch(() => {});
await ended;
