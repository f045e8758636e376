/**
 * Writes what a build consists of into the folder of its bundle: `belltower.cdx.json`, its packages from npm and those of the Debian
 * that it is built on (CycloneDX), and `provenance.json`, from which commit, packages and base each file was made (in-toto, SLSA). The
 * environment says `COMMIT` and `NODE_IMAGE`, as far as they are known. Neither file is signed; whoever publishes an image signs it.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"

const root = join(import.meta.dirname, "../..")
const files = { contents: "belltower.cdx.json", provenance: "provenance.json" }

const sha256 = (path) => createHash("sha256").update(readFileSync(path)).digest("hex")

const isForDevelopment = ({ properties = [] }) =>
  properties.some(({ name, value }) => name === "cdx:npm:package:development" && value === "true")

/** The packages that the bundle may contain. npm's own way to leave those for development out loses what both want. */
export const npmContents = () => {
  const listed = execFileSync("npm", ["sbom", "--sbom-format=cyclonedx"], { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 })
  const { components: all, dependencies: edges, ...rest } = JSON.parse(listed)
  const components = all.filter((one) => !isForDevelopment(one))
  const kept = new Set([rest.metadata.component, ...components].map((one) => one["bom-ref"]))
  const dependencies = edges.filter(({ ref }) => kept.has(ref)).map(({ dependsOn, ref }) => ({
    ref,
    dependsOn: dependsOn.filter((one) => kept.has(one))
  }))
  return { ...rest, components, dependencies }
}

/** The packages of this machine's Debian; none elsewhere. */
const debianPackages = () => {
  const format = "${Package}\t${Version}\t${Architecture}\n"
  try {
    return execFileSync("dpkg-query", ["--show", `--showformat=${format}`], { encoding: "utf8" }).trim().split("\n")
  } catch {
    return []
  }
}

const debianComponent = (line) => {
  const [name, version, architecture] = line.split("\t")
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`
  return { "bom-ref": purl, type: "library", name, version, purl }
}

const below = (folder) =>
  readdirSync(folder).map((name) => join(folder, name)).flatMap((path) => statSync(path).isDirectory() ? below(path) : [path])

/** An in-toto statement about the files of a folder. */
export const provenanceOf = (folder, { COMMIT: commit = "", NODE_IMAGE: base = "" }) => ({
  _type: "https://in-toto.io/Statement/v1",
  subject: below(folder).filter((path) => !path.endsWith(files.provenance)).map((path) => ({
    name: relative(folder, path),
    digest: { sha256: sha256(path) }
  })),
  predicateType: "https://slsa.dev/provenance/v1",
  predicate: {
    buildDefinition: {
      buildType: "urn:belltower:infra/build.mjs",
      externalParameters: { version: JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version },
      resolvedDependencies: [
        ...(commit === "" ? [] : [{ name: "source", digest: { gitCommit: commit } }]),
        ...(base === "" ? [] : [{ name: "base", uri: `docker://${base}` }]),
        { name: "package-lock.json", digest: { sha256: sha256(join(root, "package-lock.json")) } }
      ]
    },
    runDetails: { builder: { id: "urn:belltower:infra/Dockerfile", version: { node: process.version } } }
  }
})

if (process.argv[1] === import.meta.filename) {
  const folder = process.argv[2] ?? join(root, "dist")
  const write = (name, value) => writeFileSync(join(folder, name), `${JSON.stringify(value, null, 1)}\n`)
  const contents = npmContents()
  write(files.contents, { ...contents, components: [...contents.components, ...debianPackages().map(debianComponent)] })
  write(files.provenance, provenanceOf(folder, process.env))
}
