/** The steps after the first monitor: its first check as it happens, then a status page and an alert channel, each optional. */
import { isolated } from "../../../domain/tools/text/Direction.ts"
import { totalOf } from "../../design/Amounts.ts"
import { Buttons, CallButton, CallForm, Field, Select, useAnswerOf } from "../../design/Form.tsx"
import { Badge, Panel } from "../../design/Parts.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import { read, readOrNull, together, view } from "../../frame/View.ts"
import { alertsOfAll } from "../channel/ChannelFields.tsx"
import { CheckResult } from "./form/CheckResult.tsx"
import { monitorPath, RunCheckButton, runCheckForm } from "./MonitorActions.tsx"

interface Start {
  readonly monitor: AnswerOf<"get_monitor">
  readonly check: AnswerOf<"get_check"> | null
  readonly channels: AnswerOf<"list_channels">["data"]
  readonly pages: AnswerOf<"list_pages">["data"]
  /** The page of the form, and the one that shows the monitor. */
  readonly chosen: string | null
  readonly shown: string | null
  readonly email: string
  /** Monitors of the workspace. */
  readonly monitors: number
}

const startPath = (id: string): `/app/${string}` => `/app/monitors/${id}/start`

const Waiting = ({ monitor: { id, kind } }: Pick<Start, "monitor">) => (
  <Panel id="check-result" title="First check">
    <p role="status">
      <span class="pulse" aria-hidden="true" /> {kind === "heartbeat" ? "Waiting for the first ping…" : "Checking…"}
    </p>
    <p class="note">
      This view follows live. Without a script, <a href={startPath(id)}>reload it</a>.
    </p>
  </Panel>
)

/** A first check that succeeds may have kept no evidence; another one shows what it saw. */
const FirstCheck = ({ check, monitor }: Start) => {
  const again = useAnswerOf(runCheckForm(monitor.id), "run_check")
  const result = again ?? check
  if (result === null) return <Waiting monitor={monitor} />
  return (
    <CheckResult result={result} title={again === null ? "First check" : "Check result"}>
      <Buttons>
        <RunCheckButton monitor={monitor} tight />
        {result.outcome === "up"
          ? null
          : <a class="button plain tight" href={`${monitorPath(monitor.id)}/edit`}>Change settings</a>}
      </Buttons>
    </CheckResult>
  )
}

const ShownOn = ({ chosen, monitor: { id: monitorId, name }, pages }: Start) =>
  pages.length === 0
    ? (
      <CallForm
        call="create_page"
        id="page"
        then={`${startPath(monitorId)}?page={id}`}
        said="Status page created. Add the monitor to it."
        class="inline"
      >
        <Field name="name" label="Name of the page" required attributes={{ maxlength: 100, placeholder: "Acme" }} />
        <button>Create page</button>
      </CallForm>
    )
    : (
      <CallForm
        call="create_component"
        id="component"
        fixed={{ "monitorIds:list": monitorId }}
        then={`${startPath(monitorId)}?shown={pageId}`}
        said="The status page shows the monitor"
        class="inline"
      >
        <Select name="pageId" label="Page" value={chosen ?? pages[0]?.id} options={pages.map(({ id, name }) => [id, name])} />
        <Field name="name" label="Shown as" required value={name.slice(0, 100)} attributes={{ maxlength: 100 }} />
        <button>Show on the page</button>
      </CallForm>
    )

const PageStep = (start: Start) => {
  const page = start.pages.find(({ id }) => id === start.shown)
  return (
    <Panel id="page-step" title="Tell your users" actions={page === undefined ? null : <Badge tone="good">Done</Badge>}>
      {page === undefined
        ? (
          <>
            <p class="note">A status page shows the state of your service, and tells subscribers about incidents.</p>
            <ShownOn {...start} />
          </>
        )
        : (
          <p>
            <a href={`/app/pages/${page.id}`}>{page.name}</a> shows this monitor.
          </p>
        )}
    </Panel>
  )
}

/** The person's address, unless mail cannot reach it, as with the first operator's. */
const ownAddress = (email: string): string | null => (email.endsWith(".localhost") ? null : email)

/** The workspace's first channel: all its monitors, and those that follow, alert there. */
const NewChannel = ({ email, monitors }: Start) => (
  <CallForm
    call="create_channel"
    id="channel"
    fixed={{ type: "email", "isDefault:boolean": true, "attachExisting:boolean": true }}
    said={`Channel created. ${alertsOfAll(monitors)}`}
    class="inline"
  >
    <Field name="emails" as="list" type="email" label="Email address" required value={ownAddress(email)} />
    <Field name="name" label="Name of the channel" required value="Email" attributes={{ maxlength: 80 }} />
    <button>Create channel</button>
  </CallForm>
)

const AlertStep = (start: Start) => {
  const { channels, monitor } = start
  const attached = channels.filter(({ id }) => monitor.channelIds.includes(id))
  return (
    <Panel
      id="alert-step"
      title="Choose where alerts go"
      actions={attached.length === 0 ? null : <Badge tone="good">Done</Badge>}
    >
      {attached.length > 0
        ? <p>Alerts go to {attached.map(({ name }) => name).join(", ")}.</p>
        : <p class="note">Nobody is alerted yet when the monitor goes down.</p>}
      {attached.length > 0 ? null : channels.map(({ id, name }) => (
        <CallButton
          call="update_monitor"
          id={`attach-${id}`}
          fixed={{ id: monitor.id, "channelIds:list": id }}
          said={`Alerts go to ${name}`}
        >
          Send alerts to {name}
        </CallButton>
      ))}
      {channels.length > 0 ? null : <NewChannel {...start} />}
      <p class="note">
        <a href="/app/channels">Slack, PagerDuty, webhooks and more</a>
      </p>
    </Panel>
  )
}

export const startView = view("/app/monitors/:id/start", "monitors", function*({ id, person, query }) {
  const [monitor, pages, channels, { counts }] = yield* together([
    read("get_monitor", { id, checks: 0 }),
    read("list_pages", { components: false, limit: 100 }),
    read("list_channels"),
    read("list_monitors", { limit: 1, counts: true })
  ])
  const check = monitor.lastCheck === null ? null : yield* readOrNull("get_check", { id: monitor.lastCheck.id })
  const start: Start = {
    monitor,
    check,
    channels: channels.data,
    pages: pages.data,
    chosen: query.get("page"),
    shown: query.get("shown"),
    email: person.user.email,
    monitors: totalOf(counts)
  }
  return {
    title: `${isolated(monitor.name)} is set up`,
    live: check === null ? ["monitor.*", "check.completed"] : ["monitor.*"],
    head: {
      title: monitor.name,
      crumbs: [["/app/monitors", "Monitors"]],
      note: "Your monitor is running. The next steps are optional: you can take them at any time.",
      actions: <a class="button" href={monitorPath(monitor.id)}>Go to the monitor</a>
    },
    stack: [<FirstCheck {...start} />, <AlertStep {...start} />, <PageStep {...start} />]
  }
})
