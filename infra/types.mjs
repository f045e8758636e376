/**
 * Checks all types, and the use of Effect by the rules of its language service, in one pass: with a copy of the compiler that the
 * language service has patched. Its own command reads the whole project again for every few files. `node infra/types.mjs`.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const modules = join(root, "node_modules")
const folder = mkdtempSync(join(tmpdir(), "belltower-types-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))

const compiler = join(folder, "typescript")
cpSync(join(modules, "typescript"), compiler, { recursive: true, dereference: true })
execFileSync(process.execPath, [join(modules, "@effect/language-service/cli.js"), "patch", "--dir", compiler], { stdio: "pipe" })

const { status } = spawnSync(process.execPath, [join(compiler, "bin/tsc"), "--noEmit", "--project", root], { stdio: "inherit" })
process.exitCode = status ?? 1
