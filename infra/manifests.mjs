/**
 * The files that operators deploy from, read by the tools that they use. `node infra/manifests.mjs check` has Helm lint the chart
 * (infra/helm/belltower) and compares what it renders with test/infra/helm and infra/kustomize/base, which `write` makes. Compose's own
 * loader reads infra/compose.yaml. The resources must meet the schemas of Kubernetes. `install` gets these tools,
 * into .local. Where one is missing, `check` prints a line that begins with WARNING.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isCollection, isPair, isScalar, parseAllDocuments, stringify, visit } from "yaml"

const root = join(import.meta.dirname, "..")
const chart = join(root, "infra/helm/belltower")
const renders = join(root, "test/infra/helm")
const renderOf = (name) => join(renders, `${name}.yaml`)
const plain = join(root, "infra/kustomize/base/belltower.yaml")

/** Built by `install`: the program and its package. */
const tools = join(root, ".local/manifests")
const programs = { helm: "helm.sh/helm/v3/cmd/helm@v3.22.0", cmd: "github.com/compose-spec/compose-go/v2/cmd@v2.16.2" }

/** The version of Kubernetes that Helm renders for. */
const kubernetes = "1.33.0"

/** The schemas of Kubernetes and of the controllers that the chart makes resources for, as npm has them. */
const schemas = [
  ...["kubernetes-models@5.1.0", "@kubernetes-models/external-secrets@2.0.0", "@kubernetes-models/gateway-api@2.0.0"],
  ...["@kubernetes-models/keda@2.0.0", "@kubernetes-models/prometheus-operator@6.0.0"]
]
const models = {
  "external-secrets.io": "@kubernetes-models/external-secrets",
  "gateway.networking.k8s.io": "@kubernetes-models/gateway-api",
  "keda.sh": "@kubernetes-models/keda",
  "monitoring.coreos.com": "@kubernetes-models/prometheus-operator"
}

const built = (name) => existsSync(join(tools, name)) ? join(tools, name) : null
const helm = built("helm") ?? "helm"

const run = (command, args, options = {}) =>
  spawnSync(command, args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26, ...options })

const failed = ({ error, stderr, stdout }) => error?.message ?? `${stdout}${stderr}`.trim()

const size = (name) => ["--values", join(chart, "sizes", `${name}.yaml`), "--set", "url=https://status.example.com"]
const values = (name) => ["--values", join(renders, `${name}.values.yaml`)]
const brokers = ["--set", "settings.KAFKA_BROKERS=kafka:9092"]

/** The values of each render that is kept. */
const kept = {
  1000: size(1000),
  10000: [...size(10_000), ...brokers],
  100000: [...size(100_000), ...brokers],
  1000000: [...size(1_000_000), ...brokers],
  everything: values("everything"),
  probes: values("probes")
}

/** The alerts, of which a chart can only read a file of its own. */
const rules = join(chart, "rules.yaml")
const copied = () =>
  "# A copy of infra/prometheus/rules.yaml, made by `node infra/manifests.mjs write`.\n" +
  readFileSync(join(root, "infra/prometheus/rules.yaml"), "utf8")

/** Values that the chart refuses, and what it says. */
const refused = {
  "no address": [[...brokers], "url"],
  "no brokers": [size(10_000), "settings.KAFKA_BROKERS is required"],
  "an unknown value": [[...size(10_000), ...brokers, "--set", "api.replica=3"], "replica"],
  "a number as a setting": [[...size(10_000), ...brokers, "--set", "settings.DATABASE_POOL=20"], "settings"],
  "a secret as a value": [[...size(10_000), ...brokers, "--set", "settings.DATABASE_URL=postgres://x"], "DATABASE_URL"],
  "a secret for every pod": [[...size(10_000), ...brokers, "--set", "settings.BELLTOWER_SECRET=x"], "BELLTOWER_SECRET"],
  "a setting that the chart gives": [[...size(10_000), ...brokers, "--set", "api.settings.BELLTOWER_DRAIN_SEC=60"], "DRAIN_SEC"],
  "65 runners": [[...size(10_000), ...brokers, "--set", "runner.replicas=65"], "runner"],
  "no region for monitors that name none": [
    [...size(1000), ...brokers, "--set", "mode=split,secret=belltower,regions.eu.replicas=2"],
    "serverSettings.BELLTOWER_REGION"
  ]
}

/** The longest line of a collection that is written in one line. */
const oneLine = 110

/** Documents of YAML, in order, with small collections on one line: what a change does to them is then easy to read. */
const tidy = (documents) =>
  documents.map((document) => {
    visit(document, (_, node) => {
      if (isPair(node) || isScalar(node)) return
      delete node.comment
      delete node.commentBefore
      if (!isCollection(node)) return
      node.flow = node.items.every((item) => isScalar(isPair(item) ? item.value : item)) &&
        stringify(node.toJSON(), { collectionStyle: "flow", lineWidth: 0 }).length <= oneLine
    })
    document.contents.comment = document.contents.commentBefore = document.commentBefore = undefined
    return document.toString({ lineWidth: 0, directives: false }).trim()
  })

/** The manifests for plain Kubernetes: without the parts that only Helm needs. */
const withoutHelm = (document) => {
  const forget = (path, name) => document.hasIn([...path, name]) && document.deleteIn([...path, name])
  for (const labels of [["metadata", "labels"], ["spec", "template", "metadata", "labels"]]) {
    for (const name of ["helm.sh/chart", "app.kubernetes.io/managed-by"]) forget(labels, name)
  }
  const annotations = ["metadata", "annotations"]
  for (const name of ["helm.sh/hook", "helm.sh/hook-weight", "helm.sh/hook-delete-policy"]) forget(annotations, name)
  if (document.getIn(annotations)?.items.length === 0) forget(["metadata"], "annotations")
  return document
}

const nameOf = (document) => `${document.getIn(["kind"])}/${document.getIn(["metadata", "name"])}`

const rendered = (args) => {
  const done = run(helm, ["template", "belltower", chart, "--kube-version", kubernetes, "--namespace", "belltower", ...args])
  if (done.status !== 0) throw new Error(`helm template ${args.join(" ")}: ${failed(done)}`)
  return parseAllDocuments(done.stdout)
    .filter(({ contents }) => contents !== null && !isScalar(contents))
    .sort((one, other) => nameOf(one) < nameOf(other) ? -1 : 1)
}

const written = (head, documents) => `# ${head}\n${tidy(documents).join("\n---\n")}\n`

/** Each file that is made from the chart, with its content. */
const made = () =>
  new Map([
    [rules, copied()],
    ...Object.entries(kept).map(([name, args]) => [
      renderOf(name),
      written("Made by `node infra/manifests.mjs write`: what Helm renders.", rendered(args))
    ]),
    [
      plain,
      written(
        "Made by `node infra/manifests.mjs write` from the Helm chart, as 10,000 monitors need it.",
        rendered(kept[10000]).map(withoutHelm)
      )
    ]
  ])

const install = () => {
  for (const [name, source] of Object.entries(programs)) {
    if (built(name) !== null) continue
    // One package at a time, because a linker needs a gigabyte.
    const done = run("go", ["install", source], { env: { ...process.env, GOBIN: tools, GOFLAGS: "-p=1" } })
    if (done.status !== 0) throw new Error(`Go could not build ${source}: ${failed(done)}`)
  }
  const done = run("npm", ["install", "--prefix", tools, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", ...schemas])
  if (done.status !== 0) throw new Error(`npm could not install ${schemas.join(" ")}: ${failed(done)}`)
}

const fail = (faults) => {
  if (faults.length > 0) throw new Error(faults.join("\n"))
}

const checkChart = () => {
  const lint = run(helm, ["lint", "--strict", "--kube-version", kubernetes, chart, ...kept[10000]])
  const faults = lint.status === 0 ? [] : [failed(lint)]
  for (const [path, content] of made()) {
    if (!existsSync(path) || readFileSync(path, "utf8") !== content) {
      faults.push(`${path.slice(root.length + 1)} is not what the chart renders: node infra/manifests.mjs write`)
    }
  }
  for (const [name, [args, says]] of Object.entries(refused)) {
    const done = run(helm, ["template", "belltower", chart, "--kube-version", kubernetes, ...args])
    if (done.status === 0 || !failed(done).includes(says)) {
      faults.push(`${name}: not refused with "${says}": ${failed(done).slice(-300)}`)
    }
  }
  fail(faults)
  console.log(
    `The chart renders ${Object.keys(kept).length} sets of values as expected, and refuses ${Object.keys(refused).length}`
  )
}

const modelOf = ({ apiVersion, kind }) => `${models[apiVersion.split("/")[0]] ?? "kubernetes-models"}/${apiVersion}/${kind}`

/** The compiler finds unknown fields, of which JSON schemas know nothing; the schemas find formats and values. */
const checkSchemas = async () => {
  const documents = [...Object.keys(kept).map(renderOf), plain].flatMap((path) =>
    parseAllDocuments(readFileSync(path, "utf8")).map((document) => document.toJSON())
  )
  const source = documents.map((document, at) =>
    `import type { I${document.kind} as T${at} } from "${modelOf(document)}"\n` +
    `export const ${document.kind}${at}: T${at} = ${JSON.stringify(document, null, 1)}\n`
  ).join("")
  const file = join(tools, "manifests.ts")
  writeFileSync(file, source)
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext"]
  const compiled = run(join(root, "node_modules/.bin/tsc"), [...options, file])
  const faults = await Promise.all(documents.map(async (document) => {
    const types = await import(join(tools, "node_modules", `${modelOf(document)}.js`))
    try {
      new types[document.kind](document).validate()
      return []
    } catch (error) {
      return [`${document.kind} ${document.metadata.name}: ${error.message}`]
    }
  }))
  fail([...(compiled.status === 0 ? [] : [failed(compiled)]), ...faults.flat()])
  console.log(`The chart's ${documents.length} resources are what the schemas of Kubernetes want`)
}

/** Patches of the overlay reach what they name. */
const checkOverlay = () => {
  const done = run("kubectl", ["kustomize", join(root, "infra/kustomize/example")])
  if (done.status !== 0) throw new Error(`kubectl kustomize: ${failed(done)}`)
  const faults = parseAllDocuments(done.stdout).map((document) => document.toJSON()).flatMap(
    ({ kind, metadata: { name }, spec }) => {
      const [container] = spec.template?.spec.containers ?? []
      if (container === undefined) return []
      const variables = Object.fromEntries(container.env.map((one) => [one.name, one.value]))
      const url = name.includes("-probe-") ? "http://belltower-api:8080" : "https://status.acme.example"
      return variables.BELLTOWER_URL === url && variables.KAFKA_BROKERS.endsWith("kafka:9092") &&
          container.image === "registry.example.com/belltower:1.0.0-rc.15"
        ? []
        : [`The overlay does not reach the ${kind} ${name}: ${JSON.stringify({ ...container, env: variables })}`]
    }
  )
  fail(faults)
}

/** The loader of Compose checks fields, their types and what services refer to. The values are filled in here, as an .env would. */
const checkCompose = () => {
  const secrets = { BELLTOWER_SECRET: "secret", POSTGRES_PASSWORD: "password" }
  const text = readFileSync(join(root, "infra/compose.yaml"), "utf8")
  const file = join(tools, "compose.yaml")
  writeFileSync(
    file,
    text.replace(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, name, byDefault) => secrets[name] ?? byDefault ?? "")
  )
  const done = run(built("cmd"), ["-format", "json", file])
  const services = done.status === 0 ? Object.keys(JSON.parse(done.stdout).services) : []
  fail(services.includes("api") && done.stderr === "" ? [] : [`The compose file is refused: ${failed(done)}`])
  console.log(`The compose file is read by Compose's loader: ${services.join(", ")}`)
}

/** Runs a check if its tool is there. */
const where = async (isThere, tool, check) => {
  if (isThere) await check()
  else console.warn(`WARNING: ${tool} is not installed here, so not everything that operators deploy from was checked`)
}

const check = async () => {
  await where(run(helm, ["version"]).status === 0, "Helm", checkChart)
  await where(existsSync(join(tools, "node_modules/kubernetes-models")), "The schemas of Kubernetes", checkSchemas)
  await where(run("kubectl", ["version", "--client"]).status === 0, "kubectl", checkOverlay)
  await where(built("cmd") !== null, "Compose's loader", checkCompose)
}

const write = () => {
  writeFileSync(rules, copied())
  made().forEach((content, path) => writeFileSync(path, content))
}

const commands = { check, install, write }

try {
  const command = commands[process.argv[2] ?? "check"]
  if (command === undefined) throw new Error(`Usage: node infra/manifests.mjs ${Object.keys(commands).join(" | ")}`)
  await command()
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
