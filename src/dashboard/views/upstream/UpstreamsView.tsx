/** The third parties that the workspace depends on: their status, the verdict on each, and the choice of them. */
import { Effect } from "effect"
import type { UpstreamService, UpstreamStatus, Verdict } from "../../../../schema/upstream/Upstream.ts"
import type { Workspace } from "../../../../schema/workspace/Workspace.ts"
import { Buttons, CallForm, Select } from "../../design/Form.tsx"
import { Badge, Empty, Head, inWords, Panel, type Tone } from "../../design/Parts.tsx"
import { Table } from "../../design/Table.tsx"
import { Ago } from "../../design/Time.tsx"
import { read, readOrNull, together } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"

type Dependency = Workspace["upstreams"][number]

const here = "/app/upstreams"
const whole = "all"

const verdicts: Readonly<Record<Verdict, readonly [Tone, string]>> = {
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

const Row = ({ name, of, status }: {
  readonly of: Dependency
  readonly name: string
  /** Null while its first reading is under way. */
  readonly status: UpstreamStatus | null
}) => {
  const [tone, word] = status === null ? ["none", "Being read"] as const : verdicts[status.verdict]
  return (
    <tr id={`upstream-${slugOf(of).replace("/", "-")}`}>
      <td class="lead">
        <a class="title" href={`/status/${slugOf(of)}`}>{name}</a>
      </td>
      <td data-label="Verdict">
        <Badge tone={tone}>{word}</Badge>
      </td>
      <td data-label="Published">
        <span>
          {status === null ? "–" : inWords(status.status)}
          {status?.stale === true ? " (not readable for 15 minutes)" : ""}
        </span>
      </td>
      <td data-label="Incident">
        {status?.incident === null || status === null ? "None" : (
          <span>
            {status.incident.url === null ? status.incident.title : <a href={status.incident.url}>{status.incident.title}</a>}
            <span class="note">
              {" "}
              <Ago at={status.incident.startedAt} />
            </span>
          </span>
        )}
      </td>
      <td data-label="Our own request">{status === null ? "–" : inWords(status.probe.state)}</td>
    </tr>
  )
}

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
      <CallForm call="update_workspace" id="keep" fixed={{ "upstreams:all": "" }} then={here} said="Dependencies saved">
        <p class="note">Uncheck what the workspace no longer depends on.</p>
        <Kept of={of} />
        <Buttons>
          <button>Save</button>
        </Buttons>
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
      <div class="field">
        <label for="service">Service</label>
        <select id="service" name="add">
          {services.map(({ name, service }) => <option value={service} selected={service === chosen?.service}>{name}</option>)}
        </select>
      </div>
      <button class="plain">Choose</button>
    </form>
    {chosen === undefined ?
      <p class="note">What it publishes is read every 2 minutes, and incidents that begin at the same time name it.</p> :
      (
        <CallForm
          call="update_workspace"
          id="add-upstream"
          fixed={Object.fromEntries(of.flatMap(({ component, service }, index) => [
            [`upstreams.${index}.service`, service],
            ...(component === undefined ? [] : [[`upstreams.${index}.component`, component]])
          ]))}
          then={here}
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
          <Buttons>
            <button>Add {chosen.name}</button>
          </Buttons>
        </CallForm>
      )}
  </Panel>
)

const columns = ["Third party", "Verdict", "Published", "Incident", "Our own request"]

/** The view does not wait for the first reading of a service: it shows that one is under way. */
const statusOf = ({ component = whole, service }: Dependency) =>
  readOrNull("upstream_status", { service, component }).pipe(
    Effect.timeoutTo({ duration: "1 second", onSuccess: (status) => status, onTimeout: () => null })
  )

export const upstreamsView = view(
  here,
  "upstreams",
  Effect.gen(function*() {
    const { query } = yield* Visit
    const [{ upstreams }, { data: services }] = yield* Effect.all([read("get_workspace"), read("list_upstreams")], together)
    const statuses = yield* Effect.forEach(upstreams, statusOf, { concurrency: 10 })
    const named = upstreams.map((one) => [one, nameIn(services, one)] as const)
    return {
      title: "Third parties",
      live: ["incident.*"],
      body: (
        <>
          <Head title="Third parties" note="What your services depend on, what it publishes, and what to do about it now." />
          <div class="stack">
            <Panel id="status" title="Status" flush>
              {upstreams.length === 0
                ? (
                  <Empty
                    title="No third party yet"
                    text="Add what your services call: a payment provider, a cloud, a mail service. An incident of theirs that begins with one of yours is named as its likely cause."
                  />
                )
                : (
                  <Table columns={columns}>
                    {named.map(([of, name], index) => <Row of={of} name={name} status={statuses[index] ?? null} />)}
                  </Table>
                )}
            </Panel>
            <div class="columns">
              <Add of={upstreams} services={services} chosen={services.find(({ service }) => service === query.get("add"))} />
              <Edit of={named} />
            </div>
          </div>
        </>
      )
    }
  })
)
