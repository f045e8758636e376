/** The third parties that the workspace depends on: their status, the verdict on each, and the choice of them. */
import { Effect } from "effect"
import type { UpstreamService, UpstreamStatus, UpstreamVerdict } from "../../../../schema/upstream/Upstream.ts"
import type { Workspace } from "../../../../schema/workspace/Workspace.ts"
import { PlainSelect } from "../../design/Filters.tsx"
import { CallForm, Select, Submit } from "../../design/Form.tsx"
import { Empty, inWords, Panel, StateBadge, type Tone } from "../../design/Parts.tsx"
import { type Columns, RecordTable } from "../../design/Table.tsx"
import { Ago } from "../../design/Time.tsx"
import { read, readOrNull, together, view } from "../../frame/View.ts"

type Dependency = Workspace["upstreams"][number]

const here = "/app/upstreams"
const whole = "all"

const verdicts: Readonly<Record<UpstreamVerdict, readonly [Tone, string]>> = {
  proceed: ["good", "Proceed"],
  retry: ["warn", "Retry"],
  fallback: ["partial", "Use a fallback"],
  pause: ["bad", "Pause"]
}

const slugOf = ({ component = whole, service }: Dependency): string => `${service}/${component}`

const nameIn = (services: ReadonlyArray<UpstreamService>, { component, service }: Dependency): string => {
  const found = services.find((one) => one.service === service)
  const part = found?.components.find(({ slug }) => slug === component)
  return [found?.name ?? service, component === undefined || component === whole ? null : part?.name ?? component]
    .filter((name) => name !== null).join(": ")
}

/** A dependency with its name and status; null while its first reading is under way. */
type Followed = readonly [of: Dependency, name: string, status: UpstreamStatus | null]

const columns: Columns<Followed> = [
  { name: "Third party", cell: ([of, name]) => <a class="title" href={`/status/${slugOf(of)}`}>{name}</a> },
  {
    name: "Verdict",
    cell: ([, , status]) => <StateBadge of={status === null ? ["none", "Being read"] : verdicts[status.verdict]} />
  },
  {
    name: "Published",
    cell: ([, , status]) => (
      <span>
        {status === null ? "–" : inWords(status.status)}
        {status?.stale === true ? " (not readable for 15 minutes)" : ""}
      </span>
    )
  },
  {
    name: "Incident",
    cell: ([, , status]) =>
      status?.incident === null || status === null ? "None" : (
        <span>
          {status.incident.url === null ? status.incident.title : <a href={status.incident.url}>{status.incident.title}</a>}
          <span class="note">
            {" "}
            <Ago at={status.incident.startedAt} />
          </span>
        </span>
      )
  },
  { name: "Our own request", cell: ([, , status]) => status === null ? "–" : inWords(status.probe.state) }
]

/** Unchecked rows are not sent; the empty list says that the form has them all. */
const Kept = ({ of }: { readonly of: ReadonlyArray<readonly [Dependency, string]> }) => (
  <>
    {of.map(([{ component, service }, name], index) => (
      <label class="choice">
        <input type="checkbox" name={`upstreams.${index}.service`} value={service} checked />
        <span>{name}</span>
        {component === undefined ? null : <input type="hidden" name={`upstreams.${index}.component:key`} value={component} />}
      </label>
    ))}
  </>
)

const Edit = ({ of }: { readonly of: ReadonlyArray<readonly [Dependency, string]> }) =>
  of.length === 0 ? null : (
    <Panel id="edit" title="Dependencies">
      <CallForm
        call="update_workspace"
        id="keep"
        fixed={{ "upstreams:all": "" }}
        of={{ upstreams: of.map(([one]) => one) }}
        said="Dependencies saved"
      >
        <p class="note">Clear the services that you no longer depend on.</p>
        <Kept of={of} />
        <Submit>Save</Submit>
      </CallForm>
    </Panel>
  )

const Add = ({ chosen, of, services }: {
  readonly of: ReadonlyArray<Dependency>
  readonly services: ReadonlyArray<UpstreamService>
  readonly chosen: UpstreamService | undefined
}) => (
  <Panel id="add" title="Add a third party">
    <form method="get" class="inline" data-auto data-carry action={`${here}#add`}>
      <PlainSelect
        id="service"
        label="Service"
        name="add"
        value={chosen?.service}
        options={services.map(({ name, service }) => [service, name])}
      />
      <button class="plain">Choose</button>
    </form>
    {chosen === undefined ?
      (
        <p class="note">
          Belltower reads its status page every 2 minutes. Your incidents name it if it has one at the same time.
        </p>
      ) :
      (
        <CallForm
          call="update_workspace"
          id="add-upstream"
          fixed={Object.fromEntries(of.flatMap(({ component, service }, index) => [
            [`upstreams.${index}.service`, service],
            ...(component === undefined ? [] : [[`upstreams.${index}.component`, component]])
          ]))}
          of={{ upstreams: of }}
          said={`${chosen.name} added`}
        >
          <input type="hidden" name={`upstreams.${of.length}.service`} value={chosen.service} />
          <Select
            name={`upstreams.${of.length}.component`}
            label={`Part of ${chosen.name}`}
            value=""
            options={[
              ["", "The whole service"],
              ...chosen.components.filter(({ slug }) => slug !== whole).map(({ name, slug }) => [slug, name] as const)
            ]}
          />
          <Submit>Add {chosen.name}</Submit>
        </CallForm>
      )}
  </Panel>
)

/** The view does not wait for the first reading of a service: it shows that one is under way. */
const statusOf = ({ component = whole, service }: Dependency) =>
  readOrNull("upstream_status", { service, component }).pipe(
    Effect.timeoutTo({ duration: "1 second", onSuccess: (status) => status, onTimeout: () => null })
  )

export const upstreamsView = view(here, "upstreams", function*({ query }) {
  const [{ upstreams }, { data: services }] = yield* together([read("get_workspace"), read("list_upstreams")])
  const statuses = yield* Effect.forEach(upstreams, statusOf, { concurrency: 10 })
  const named = upstreams.map((one) => [one, nameIn(services, one)] as const)
  return {
    title: "Third parties",
    live: ["incident.*"],
    head: { note: "The services you depend on, and what their status pages say now." },
    stack: [
      <Panel id="status" title="Status" flush>
        {upstreams.length === 0
          ? (
            <Empty
              title="No third parties yet"
              text="Add the services you depend on, such as a payment provider or a cloud. If one has an incident when you do, yours names it as the likely cause."
            />
          )
          : (
            <RecordTable
              of={named.map(([of, name], index): Followed => [of, name, statuses[index] ?? null])}
              idOf={([of]) => `upstream-${slugOf(of).replace("/", "-")}`}
              columns={columns}
            />
          )}
      </Panel>,
      <div class="columns">
        <Add of={upstreams} services={services} chosen={services.find(({ service }) => service === query.get("add"))} />
        <Edit of={named} />
      </div>
    ]
  }
})
