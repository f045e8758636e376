/** The Helm chart, over its kept renders: what Kubernetes and the program would say to them. infra/manifests.mjs has Helm render them. */
import { describe, expect, it } from "@effect/vitest"
import { Array as Arr, Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { commands } from "../../src/domain/program/Commands.ts"
import { metricRoles } from "../../src/http/server/MetricRoles.ts"
import { settingInFile, settingNames } from "../../src/settings/SettingFiles.ts"
import { readSettings, type Role, settings } from "../../src/settings/Settings.ts"
import { factsOf } from "../../src/settings/SettingTypes.ts"
import { unknownSettings } from "../../src/settings/UnknownSettings.ts"
import { testSecret } from "../support/program/TestInstallation.ts"
import { Groups, pathOf, type Render, renders, resourcesOf, type Workload, workloadsOf } from "./Manifests.ts"

const root = join(import.meta.dirname, "../..")
const read = (path: string) => readFileSync(join(root, path), "utf8")

const manifests = [...renders.map(pathOf), "infra/kustomize/base/belltower.yaml"]
const each = manifests.map((path) => [path.replace(/.*\/(\w+)\.yaml$/, "$1"), path] as const)

const nameOf = ({ resource: { kind, metadata } }: Workload) => `${kind} ${metadata.name}`

/** What the documentation says that Secrets hold, as the program would get it. */
const secretsOf = (name: string): Readonly<Record<string, string>> =>
  name.startsWith("belltower-probe-")
    ? { BELLTOWER_PROBE_TOKEN: `prt_1.${"s".repeat(43)}.${"k".repeat(43)}` }
    : { BELLTOWER_SECRET: testSecret, DATABASE_URL: "postgresql://belltower:password@postgres:5432/belltower" }

const environmentOf = ({ container: { env, envFrom = [] } }: Workload): Readonly<Record<string, string>> => ({
  ...Object.assign({}, ...envFrom.map(({ secretRef }) => secretsOf(secretRef.name))),
  ...Object.fromEntries(env.map((one) => [one.name, "value" in one ? one.value : "10.0.0.7"]))
})

const roles: Readonly<Record<string, Role>> = { all: "all", api: "api", runner: "runner", probe: "probe" }

const NameRules = Schema.Struct({
  pattern: Schema.String,
  allOf: Schema.Array(Schema.Struct({ not: Schema.Struct({ pattern: Schema.String }) }))
})
const ValuesSchema = Schema.Struct({
  definitions: Schema.Struct({ settings: Schema.Struct({ propertyNames: NameRules }) })
})

/** The groups of a file of alerts. */
const groupsOf = (text: string) => Schema.decodeUnknownSync(Schema.Struct({ groups: Groups }))(parse(text)).groups

const isSelected = (labels: Readonly<Record<string, string>>, selector: Readonly<Record<string, string>>) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value)

const mebibytes = (text: string) => Number.parseInt(text, 10) * (text.endsWith("Gi") ? 1024 : 1)

const restricted = ({ container, pod }: Workload): ReadonlyArray<string> => [
  ...(container.securityContext.allowPrivilegeEscalation ? ["new privileges"] : []),
  ...(container.securityContext.privileged === true ? ["privileged"] : []),
  ...(container.securityContext.capabilities.drop.includes("ALL") ? [] : ["capabilities"]),
  ...((container.securityContext.capabilities.add ?? []).length > 0 ? ["more capabilities"] : []),
  ...(container.securityContext.procMount === undefined ? [] : ["procMount"]),
  ...(pod.securityContext.runAsNonRoot && pod.securityContext.runAsUser > 0 ? [] : ["root"]),
  ...(pod.securityContext.seccompProfile.type === "RuntimeDefault" ? [] : ["seccomp"]),
  ...(pod.hostNetwork === true || pod.hostPID === true || pod.hostIPC === true ? ["host namespaces"] : []),
  ...(pod.securityContext.sysctls ?? []).filter(({ name }) => name !== "net.ipv4.ping_group_range").map(({ name }) => name),
  ...pod.volumes.flatMap((volume) => Object.keys(volume)).filter((type) => !["name", "emptyDir", "secret"].includes(type))
]

describe.each(each)("the manifests of %s", (name, path) => {
  const resources = resourcesOf(path)
  const workloads = workloadsOf(resources)

  it.effect("run commands of the program with settings that it accepts", () =>
    Effect.gen(function*() {
      expect(workloads.length).toBeGreaterThan(0)
      for (const workload of workloads) {
        const [command = "", ...rest] = workload.container.args
        expect([Object.keys(commands).includes(command), rest], nameOf(workload)).toEqual([true, []])
        const environment = environmentOf(workload)
        expect(yield* unknownSettings(environment), nameOf(workload)).toEqual([])
        const names = yield* settingNames(settings)
        const foreign = Object.keys(environment).filter((name) => !names.has(name) && settingInFile(name, names) === null)
        expect(foreign, nameOf(workload)).toEqual(["NODE_OPTIONS"])
        // Files of certificates are not there.
        const given = Object.entries(environment).filter(([, value]) => !value.startsWith("/etc/"))
        yield* readSettings(roles[command] ?? null, Object.fromEntries(given))
      }
    }))

  it("give a probe neither the database nor the secret", () => {
    const ofProbes = workloads.filter(({ container }) => container.args[0] === "probe")
    for (const workload of ofProbes) {
      expect(Object.keys(environmentOf(workload)).filter((name) => /SECRET|DATABASE/.test(name)), nameOf(workload)).toEqual([])
    }
  })

  it("leave each pod a read-only file system, no token of the cluster and no variables of its Services", () => {
    for (const workload of workloads) {
      const { container, pod } = workload
      expect(container.securityContext.readOnlyRootFilesystem, nameOf(workload)).toBe(true)
      expect(container.volumeMounts.map(({ mountPath }) => mountPath), nameOf(workload)).toEqual(
        expect.arrayContaining(["/tmp", "/data"])
      )
      expect([pod.automountServiceAccountToken, pod.enableServiceLinks], nameOf(workload)).toEqual([false, false])
    }
  })

  it("meet the profile restricted, except probes whose isolation is on", () => {
    for (const workload of workloads) {
      const isIsolating = workload.pod.hostUsers === false
      expect(restricted(workload), nameOf(workload)).toEqual(isIsolating ? ["procMount", "seccomp"] : [])
    }
  })

  it("wait longer for a pod to stop than the program takes", () => {
    for (const workload of workloads) {
      const { BELLTOWER_DRAIN_SEC: drain = "5" } = environmentOf(workload)
      expect(workload.pod.terminationGracePeriodSeconds, nameOf(workload)).toBeGreaterThanOrEqual(Number(drain) + 15 + 5)
    }
  })

  it("ask each pod that serves whether it lives and is ready, at a port that it has", () => {
    for (const workload of workloads.filter(({ container }) => container.args[0] !== "migrate")) {
      const { livenessProbe, ports = [], readinessProbe, startupProbe } = workload.container
      expect([livenessProbe, startupProbe].every((probe) => probe !== undefined), nameOf(workload)).toBe(true)
      expect(readinessProbe?.httpGet.path, nameOf(workload)).toBe("/readyz")
      const environment = environmentOf(workload)
      const port = ports.find(({ name }) => name === readinessProbe?.httpGet.port)?.containerPort
      expect(String(port), nameOf(workload)).toBe(environment["PORT"] ?? "8080")
      const metrics = ports.find(({ name }) => name === "metrics")?.containerPort
      expect(String(metrics), nameOf(workload)).toBe(environment["BELLTOWER_METRICS_PORT"] ?? environment["PORT"])
    }
  })

  it("bound Node's heap below the memory of the pod", () => {
    for (const workload of workloads) {
      const heap = Number(/--max-old-space-size=(\d+)/.exec(environmentOf(workload)["NODE_OPTIONS"] ?? "")?.[1])
      const memory = mebibytes(workload.container.resources.limits.memory)
      expect(heap, nameOf(workload)).toBeGreaterThan(memory / 3)
      expect(heap, nameOf(workload)).toBeLessThanOrEqual(memory * 0.75)
    }
  })

  it("select pods that are there, and have a policy for the network of each", () => {
    const ofPods = workloads.map(({ labels }) => labels)
    for (const { kind, metadata, spec } of resources) {
      const selector = spec.podSelector ?? spec.selector
      if (selector === undefined) continue
      const labels = kind === "ServiceMonitor" ? resources.map((one) => one.metadata.labels ?? {}) : ofPods
      expect(labels.some((one) => isSelected(one, selector)), `${kind} ${metadata.name}`).toBe(true)
    }
    const policies = resources.map(({ spec }) => spec.podSelector).filter((selector) => selector !== undefined)
    for (const workload of workloads) {
      expect(policies.some((selector) => isSelected(workload.labels, selector)), nameOf(workload)).toBe(true)
    }
  })

  it("let each pod reach name servers, the brokers in its settings, and the database if its settings name one", () => {
    for (const workload of workloads) {
      const reached = resources.filter(({ spec }) => isSelected(workload.labels, spec.podSelector ?? { none: "" }))
        .flatMap(({ spec }) => spec.egress ?? []).flatMap(({ ports = [] }) => ports.map(({ port }) => port))
      const { DATABASE_URL, KAFKA_BROKERS = "" } = environmentOf(workload)
      const isAtBrokers = workload.container.args[0] !== "migrate" && KAFKA_BROKERS !== ""
      const brokers = isAtBrokers ? KAFKA_BROKERS.split(",").map((broker) => Number(broker.split(":")[1])) : []
      const database = DATABASE_URL === undefined ? [] : [name === "everything" ? 6432 : 5432]
      expect(reached, nameOf(workload)).toEqual(expect.arrayContaining([53, ...brokers, ...database]))
    }
  })

  it("scale workloads that are there, and leave their number of pods to the scaler", () => {
    for (const { metadata, spec } of resources.filter((one) => one.spec.scaleTargetRef !== undefined)) {
      const scaled = workloads.find(({ resource }) => resource.metadata.name === spec.scaleTargetRef?.name)
      expect([metadata.name, scaled?.resource.spec.replicas]).toEqual([metadata.name, undefined])
      expect(scaled).toBeDefined()
    }
  })
})

describe("the sizes", () => {
  const runnersOf = (render: Render) => {
    const resources = resourcesOf(pathOf(render))
    const [runner] = workloadsOf(resources).filter(({ container }) => container.args[0] === "runner")
    const heap = Number(/=(\d+)/.exec(runner === undefined ? "" : environmentOf(runner)["NODE_OPTIONS"] ?? "")?.[1])
    const scaler = resources.find(({ kind, metadata }) =>
      kind === "HorizontalPodAutoscaler" && metadata.name === "belltower-runner"
    )
    return { heap, least: scaler?.spec.minReplicas ?? runner?.resource.spec.replicas ?? 0 }
  }

  it.each([["10000", 10_000], ["100000", 100_000], ["1000000", 1_000_000]] as const)(
    "%s: the monitors fit where one runner is lost",
    (render, monitors) => {
      const { heap, least } = runnersOf(render)
      // docs/figures.md: 2.2 kB each, 22 kB more for the tenth that is down, and 217 MB of a warm process.
      const needed = (monitors * 4.4 / 1000 / (least - 1) + 217) * 1e6 / 2 ** 20
      expect(heap).toBeGreaterThan(needed)
    }
  )
})

describe("what is put on top", () => {
  const everything = resourcesOf(pathOf("everything"))

  it("lets mails of jobs in, from the Service's port to the one that the apis listen on", () => {
    const [api] = workloadsOf(everything).filter(({ container }) => container.args[0] === "api")
    const service = everything.find(({ metadata }) => metadata.name === "belltower-mail")
    const policy = everything.find(({ kind, metadata }) => kind === "NetworkPolicy" && metadata.name === "belltower-api")
    const letIn = policy?.spec.ingress?.filter(({ ports = [] }) => ports.some(({ port }) => port === 2525)) ?? []
    expect(api === undefined ? "" : environmentOf(api)["BELLTOWER_PING_SMTP"]).toBe("2525")
    expect(service?.spec.ports).toEqual([{ name: "smtp", port: 25, targetPort: "smtp" }])
    expect(letIn).toMatchObject([{ from: [{ ipBlock: { cidr: "198.51.100.0/24" } }] }])
    expect(resourcesOf(pathOf("10000")).some(({ metadata }) => metadata.name === "belltower-mail")).toBe(false)
  })

  it("adds volumes of a component to its own, and to no other's: no probe has the certificate of the cluster", () => {
    for (const { container, labels, pod } of workloadsOf(everything)) {
      const expected = ["tmp", "data", "kafka", ...labels["app.kubernetes.io/component"] === "runner" ? ["cluster"] : []]
      expect(pod.volumes.map((volume) => volume["name"])).toEqual(expected)
      expect(container.volumeMounts.map((mount) => mount.name)).toEqual(expected)
    }
  })

  it("gives Prometheus the alerts, with links to their runbooks, and where only probes run those about them", () => {
    const source = "infra/prometheus/rules.yaml"
    const groupsIn = (render: Render) => resourcesOf(pathOf(render)).find(({ kind }) => kind === "PrometheusRule")?.spec.groups
    const linked = read(source).replaceAll("runbook_url: docs/", "runbook_url: https://git.example.com/belltower/docs/")
    expect(groupsIn("everything")).toEqual(groupsOf(linked))
    const groups = groupsOf(read(source))
    const [ofProbes, others] = Arr.partition(groups, ({ name }) => !["belltower-probes", "belltower-processes"].includes(name))
    expect([ofProbes.length, groupsIn("probes")]).toEqual([2, ofProbes])
    // Metrics that only probes export are read where probes run: their servers may have another Prometheus.
    const fromProbes = Object.keys(metricRoles).filter((name) => metricRoles[name]?.join() === "probe")
    expect(fromProbes.filter((name) => JSON.stringify(others).includes(name))).toEqual([])
  })

  it("labels what Prometheus reads with nothing that the program's metrics have already", () => {
    const labels = everything.flatMap(({ spec }) => spec.podTargetLabels ?? [])
    expect(labels).toEqual(["app.kubernetes.io/component"])
  })
})

describe("the chart", () => {
  it.effect("refuses secrets and what it sets itself as settings, and nothing else", () =>
    Effect.gen(function*() {
      const { definitions } = Schema.decodeUnknownSync(Schema.parseJson(ValuesSchema))(
        read("infra/helm/belltower/values.schema.json")
      )
      const { allOf, pattern } = definitions.settings.propertyNames
      const isRefused = (name: string) =>
        !new RegExp(pattern).test(name) || allOf.some(({ not }) => new RegExp(not.pattern).test(name))
      const mayBeLaidOver = ["BELLTOWER_LOG_FORMAT", "BELLTOWER_REGION", "BELLTOWER_TRUST_PROXY", "KAFKA_BROKERS"]
      const bySelf = renders.flatMap((render) => workloadsOf(resourcesOf(pathOf(render)))).flatMap(({ container }) =>
        container.env.map((one) => one.name)
      ).filter((name) => /^BELLTOWER_(?!ALLOW|CLUSTER|REGISTRATION)|^PORT$/.test(name) && !mayBeLaidOver.includes(name))
      const all = [...yield* settingNames(settings)]
      // The chart has their places fixed, although it does not set them.
      const fixed = ["BELLTOWER_DATA_DIR", "BELLTOWER_RUNNER_PORT", "POD_IP"]
      // How to get the secret is none.
      const secrets = all.filter((name) => factsOf(name).isSecret && name !== "BELLTOWER_SECRET_COMMAND")
      const wanted = new Set([...secrets, ...bySelf, ...fixed])
      expect(all.filter(isRefused).toSorted()).toEqual([...wanted].toSorted())
    }))

  it("has the version of the program", () => {
    const [, version] = /^## (\S+)$/m.exec(read("CHANGELOG.md")) ?? []
    expect(read("infra/helm/belltower/Chart.yaml")).toContain(`\nversion: ${version}\nappVersion: ${version}\n`)
  })

  it.effect("names only settings that are there in its documents and values", () =>
    Effect.gen(function*() {
      const names = yield* settingNames(settings)
      const files = ["README.md", "values.yaml", "templates/NOTES.txt", "templates/_helpers.tpl"]
      const texts = [...files.map((name) => `infra/helm/belltower/${name}`), "infra/kustomize/base/kustomization.yaml"].map(read)
      const named = texts.flatMap((text) => text.match(/\b(?:BELLTOWER|KAFKA|DATABASE|SMTP)_[A-Z]+(?:_[A-Z]+)*\b(?!_?\*)/g) ?? [])
      expect(named.length).toBeGreaterThan(20)
      expect(named.filter((name) => !names.has(name) && name !== "BELLTOWER_API_PORT")).toEqual([])
    }))

  it("says how to make the Secrets that its pods wait for", () => {
    const readme = read("infra/helm/belltower/README.md")
    for (const name of Object.keys(secretsOf("belltower"))) expect(readme).toContain(`--from-literal=${name}=`)
    expect(read("infra/helm/belltower/templates/NOTES.txt")).toContain("--from-literal=BELLTOWER_PROBE_TOKEN=")
  })
})
