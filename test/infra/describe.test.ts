/** What the image says about itself: every package that the bundles hold, and every file of them. */
import { expect, it } from "@effect/vitest"
import { build } from "esbuild"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { npmContents, provenanceOf } from "../../infra/image/describe.mjs"
import { notBundled } from "../../infra/sources.mjs"

const root = join(import.meta.dirname, "../..")

/** The packages whose code a bundle holds, each by the last part of its path below `node_modules`. */
const bundledPackages = async (entryPoints: ReadonlyArray<string>, platform: "browser" | "node") => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...entryPoints],
    bundle: true,
    write: false,
    metafile: true,
    platform,
    format: "esm",
    outdir: "out",
    external: notBundled,
    logLevel: "error"
  })
  const names = Object.keys(metafile.inputs).flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [])
  return [...new Set(names)]
}

it("lists each package of the server and of the dashboard", async () => {
  const packages = [
    ...await bundledPackages(["src/main.ts", "src/probe/script/SandboxProcess.ts"], "node"),
    ...await bundledPackages(["src/dashboard/islands/App.ts"], "browser")
  ]
  expect(packages).toEqual(expect.arrayContaining(["effect", "@effect/cluster", "kafkajs", "@codemirror/view"]))
  const listed = new Set(npmContents().components.map(({ group = "", name }) => group === "" ? name : `${group}/${name}`))
  expect(packages.filter((name) => !listed.has(name))).toEqual([])
})

it("names the commit, the base, the lock file and the digest of each file", () => {
  const folder = mkdtempSync(join(tmpdir(), "belltower-dist-"))
  writeFileSync(join(folder, "belltower.js"), "")
  const { predicate: { buildDefinition }, subject } = provenanceOf(folder, { COMMIT: "abc", NODE_IMAGE: "node:24-slim" })
  rmSync(folder, { recursive: true })
  expect(subject).toEqual([
    { name: "belltower.js", digest: { sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" } }
  ])
  expect(buildDefinition.resolvedDependencies).toEqual([
    { name: "source", digest: { gitCommit: "abc" } },
    { name: "base", uri: "docker://node:24-slim" },
    { name: "package-lock.json", digest: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } }
  ])
  expect(provenanceOf(root + "/schema/alert", {}).predicate.buildDefinition.resolvedDependencies).toHaveLength(1)
})
