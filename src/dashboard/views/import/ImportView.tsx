/** Imports from another service: the source, a preview, the items to leave out, and the progress of jobs. */
import type { ComponentChildren } from "preact"
import {
  type ImportItem,
  type ImportJob,
  type ImportPreview,
  type ImportSource,
  largestDocument
} from "../../../../schema/import/Import.ts"
import { CodeArea } from "../../design/CodeArea.tsx"
import { CallForm, Check, Field, Submit, useAnswerOf } from "../../design/Form.tsx"
import { Badge, inWords, Island, Item, ListPanel, Panel, StateBadge, type Tone } from "../../design/Parts.tsx"
import { Ago } from "../../design/Time.tsx"
import { read, view } from "../../frame/View.ts"
import { useVisit } from "../../frame/Visit.ts"

export const sourceNames = {
  uptimerobot: "UptimeRobot",
  betterstack: "Better Stack",
  statuspage: "Atlassian Statuspage",
  healthchecks: "Healthchecks",
  uptimekuma: "Uptime Kuma",
  gatus: "Gatus",
  cronitor: "Cronitor",
  belltower: "Belltower export",
  pagerduty: "PagerDuty schedules and policies",
  opsgenie: "Opsgenie schedules and policies",
  grafanaoncall: "Grafana OnCall schedules and policies"
} as const satisfies Record<ImportSource, string>

const needs = {
  uptimerobot: ["key", "page"],
  betterstack: ["key", "page"],
  statuspage: ["key", "url", "page"],
  healthchecks: ["key", "url"],
  uptimekuma: ["document"],
  gatus: ["document"],
  cronitor: ["document"],
  belltower: ["document"],
  pagerduty: ["document"],
  opsgenie: ["document"],
  grafanaoncall: ["document"]
} as const satisfies Record<ImportSource, ReadonlyArray<string>>
type Need = typeof needs[ImportSource][number]

/** They have only schedules and policies, so there is nothing to choose. */
const onCallSources: ReadonlySet<ImportSource> = new Set(["pagerduty", "opsgenie", "grafanaoncall"])

const isSource = (name: string | null): name is ImportSource => name !== null && Object.hasOwn(sourceNames, name)

const jobTones: Readonly<Record<ImportJob["status"], Tone>> = {
  queued: "calm",
  running: "calm",
  succeeded: "good",
  failed: "bad",
  cancelled: "warn"
}

/** An import that has ended well may still have refused items. */
export const JobBadge = ({ job: { failed, status } }: { readonly job: Pick<ImportJob, "failed" | "status"> }) =>
  status === "succeeded" && failed.length > 0
    ? <Badge tone="warn">Ended, {failed.length} refused</Badge>
    : <Badge tone={jobTones[status]}>{inWords(status)}</Badge>

const Sources = () => (
  <ListPanel id="sources" title="Where from">
    {Object.entries(sourceNames).map(([source, name]) => <Item name={name} href={`/app/import?source=${source}`} />)}
  </ListPanel>
)

const documentHints: Readonly<Partial<Record<ImportSource, string>>> = {
  uptimekuma: "The backup JSON, or the file kuma.db in base64. Stop Uptime Kuma before you copy kuma.db.",
  gatus: "The YAML of Gatus.",
  cronitor: "The YAML of its configuration, or what GET /api/monitors answered.",
  belltower: "What GET /export answered.",
  pagerduty: "JSON with the answers of its API: {\"schedules\": [of GET /schedules/{id}], " +
    "\"escalation_policies\": [of GET /escalation_policies], \"users\": [of GET /users]}.",
  opsgenie: "JSON with the answers of its API: {\"schedules\": [of GET /v2/schedules?expand=rotation], " +
    "\"escalations\": [of GET /v2/escalations]}.",
  grafanaoncall: "JSON with the answers of its API: {\"schedules\": [...], \"on_call_shifts\": [...], " +
    "\"escalation_chains\": [...], \"escalation_policies\": [...], \"users\": [...]}."
}

/** Years of heartbeats make the file of an Uptime Kuma large, and an import does not read them. */
const tooLarge = (source: ImportSource): string =>
  "The file is too large. " + (source === "uptimekuma"
    ? "In a copy of it, delete its history: sqlite3 kuma.db \"delete from heartbeat; vacuum\""
    : "Import a part of it.")

const DocumentField = ({ source }: { readonly source: ImportSource }) => (
  <>
    <Island
      name="upload"
      keep
      props={{ area: "preview-form-document", label: "File", largest: largestDocument, tooLarge: tooLarge(source) }}
    />
    <CodeArea name="document" as="raw" language="yaml" label="Document" required rows={10} hint={documentHints[source]} />
  </>
)

/** The fields of a need. The second step sends them again: a preview keeps a document for an hour only, and no credentials. */
const fields: Readonly<Record<Need, (source: ImportSource) => ComponentChildren>> = {
  key: (source) => (
    <Field
      name="apiKey"
      type="password"
      label={source === "statuspage" ? "API key, if you have one" : "API key"}
      required={source !== "statuspage"}
      hint="A read-only key is enough. It stays in memory for this import and is never stored."
      attributes={{ autocomplete: "off", maxlength: 500 }}
    />
  ),
  url: (source) => (
    <Field
      name="url"
      type="url"
      label={source === "statuspage" ? "Address of the page, without a key" : "Address of your installation"}
      hint={source === "statuspage" ? "Enter a key or an address." : "Leave empty for healthchecks.io."}
      attributes={{ maxlength: 500, placeholder: "https://status.example.com" }}
    />
  ),
  page: () => <Field name="pageId" label="Only the status page with this id" attributes={{ maxlength: 100 }} />,
  document: (source) => <DocumentField source={source} />
}

const Switches = ({ mirror }: { readonly mirror: boolean }) => (
  <fieldset>
    <legend>What to import</legend>
    <Check name="monitors" label="Monitors and heartbeats" checked />
    <Check name="channels" label="Alert channels, schedules and policies" checked />
    <Check name="pages" label="Status pages and components" checked />
    <Check name="incidents" label="Past incidents, maintenance and templates" checked />
    {mirror
      ? (
        <Check
          name="mirror"
          label="Keep mirroring the source's components"
          checked={false}
          hint="Adds a manifest monitor that follows the old page."
        />
      )
      : null}
  </fieldset>
)

const actions: Readonly<Record<ImportItem["action"], readonly [Tone, string]>> = {
  create: ["good", "New"],
  exists: ["none", "Exists"],
  unsupported: ["warn", "Cannot be carried"]
}

const Items = ({ items, title }: { readonly title: string; readonly items: ReadonlyArray<ImportItem> }) =>
  items.length === 0 ? null : (
    <fieldset class="items">
      <legend>
        {title} ({items.length})
      </legend>
      {items.map(({ action, name, notes = [], ref }) => (
        <label class="choice">
          <input type="checkbox" name="exclude:all" value={ref} disabled={action !== "create"} />
          <span>
            {name} <StateBadge of={actions[action]} />
            {notes.length === 0 ? null : <span class="hint">{notes.map((note) => `${note}.`).join(" ")}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  )

const Preview = ({ preview }: { readonly preview: ImportPreview }) => {
  const { submitted } = useVisit()
  const typed = [...(submitted?.typed ?? [])].filter(([name]) => !name.startsWith("_"))
  const found = [preview.monitors, preview.channels, preview.pages, preview.incidents, preview.onCall].flat()
  const created = found.filter(({ action }) => action === "create").length
  return (
    <Panel id="preview" title={`${created} to create, of ${found.length} found`}>
      {preview.warnings.length === 0 ? null : <ul class="wrong">{preview.warnings.map((warning) => <li>{warning}</li>)}</ul>}
      <CallForm call="start_import" id="start" then="/app/import/{id}" said="The import has begun" class="form wide" copy={false}>
        {typed.map(([name, values]) => values.slice(-1).map((value) => <input type="hidden" name={name} value={value} />))}
        <p class="note">Select what to leave out. Importing again later creates only what is new.</p>
        <Items title="Monitors" items={preview.monitors} />
        <Items title="Channels" items={preview.channels} />
        <Items title="Pages and components" items={preview.pages} />
        <Items title="Incidents, maintenance and templates" items={preview.incidents} />
        <Items title="On call" items={preview.onCall} />
        <Submit>Import {created === found.length ? "all" : created}</Submit>
      </CallForm>
    </Panel>
  )
}

const FromSource = ({ source }: { readonly source: ImportSource }) => {
  const preview = useAnswerOf("preview-form", "preview_import")
  const wanted: ReadonlyArray<Need> = needs[source]
  return (
    <>
      <Panel id="source" title={sourceNames[source]} actions={<a href="/app/import">Other sources</a>}>
        <CallForm call="preview_import" id="preview-form" fixed={{ source }}>
          {wanted.map((need) => fields[need](source))}
          {onCallSources.has(source) ? null : <Switches mirror={source === "statuspage"} />}
          <Submit>{preview === null ? "Preview" : "Preview again"}</Submit>
        </CallForm>
      </Panel>
      {preview === null ? null : <Preview preview={preview} />}
    </>
  )
}

const Jobs = ({ jobs }: { readonly jobs: ReadonlyArray<ImportJob> }) => (
  <ListPanel id="jobs" title="Imports" none={["No imports yet", "What you move in shows here with its progress."]}>
    {jobs.map(({ created, failed, id, source, startedAt, status }) => (
      <li id={id}>
        <div>
          <a class="title" href={`/app/import/${id}`}>{sourceNames[source]}</a>
          <p class="note">
            {created.length} created{failed.length === 0 ? "" : `, ${failed.length} refused`}
            {startedAt === null ? null : (
              <>
                , <Ago at={startedAt} />
              </>
            )}
          </p>
        </div>
        <JobBadge job={{ failed, status }} />
      </li>
    ))}
  </ListPanel>
)

export const importView = view("/app/import", "import", function*({ query }) {
  const { data } = yield* read("list_import_jobs")
  const source = query.get("source")
  return {
    title: "Import",
    head: { note: "Move from another service. You see a preview before anything is created." },
    split: [
      [
        isSource(source) ? <FromSource source={source} /> : <Sources />
      ],
      <Jobs jobs={data} />
    ]
  }
})
