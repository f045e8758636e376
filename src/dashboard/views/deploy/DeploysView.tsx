/** The deploys that were recorded, with a form that records one by hand. */
import type { Deploy } from "../../../../schema/deploy/Deploy.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { Confirm } from "../../design/Confirm.tsx"
import { Area, CallForm, Field, Submit } from "../../design/Form.tsx"
import { useMay } from "../../design/May.tsx"
import { MonitorsField } from "../../design/MonitorsField.tsx"
import { Pager, Panel } from "../../design/Parts.tsx"
import { type Columns, RecordTable } from "../../design/Table.tsx"
import { Moment } from "../../design/Time.tsx"
import { MomentField } from "../../design/TimeFields.tsx"
import { read, view } from "../../frame/View.ts"
import { deployName } from "./DeployName.ts"

const perPage = 50

const scopeOf = ({ monitorIds, pageIds, service }: Deploy): string =>
  [
    ...service === null ? [] : [`Monitors of ${service}`],
    ...monitorIds.length === 0 ? [] : [counted(monitorIds.length, "monitor")],
    ...pageIds.length === 0 ? [] : [counted(pageIds.length, "page")]
  ].join(", ") || "The whole workspace"

const columns: Columns<Deploy> = [
  {
    name: "Deploy",
    cell: (deploy) => (
      <>
        {deploy.url === null ? <b>{deployName(deploy)}</b> : <a class="title" href={deploy.url}>{deployName(deploy)}</a>}
        {deploy.description === null ? null : <p class="note">{deploy.description}</p>}
      </>
    )
  },
  { name: "Environment", cell: ({ environment }) => environment ?? "–" },
  { name: "Concerns", cell: scopeOf },
  { name: "Time", cell: ({ at }) => <Moment at={at} /> }
]

const Remove = ({ of }: { readonly of: Deploy }) => (
  <Confirm
    call="delete_deploy"
    id={`delete-${of.id}`}
    fixed={{ id: of.id }}
    label="Delete"
    does="Delete deploy"
    said="Deploy deleted"
    lost={`${deployName(of)} disappears from charts and incidents.`}
  />
)

const Record = () =>
  useMay("create_deploy")
    ? (
      <Panel id="record" title="Record a deploy">
        <CallForm call="create_deploy" id="new-deploy" said="Deploy recorded">
          <div class="columns">
            <Field name="version" label="Version" attributes={{ maxlength: 100 }} />
            <Field name="commit" label="Commit" attributes={{ maxlength: 80, autocapitalize: "none", spellcheck: "false" }} />
            <Field name="environment" label="Environment" attributes={{ maxlength: 40, placeholder: "production" }} />
            <MomentField name="at" label="When, if not now" at={null} />
          </div>
          <Field name="url" type="url" label="Address of the release or pipeline" attributes={{ maxlength: 2000 }} />
          <Area name="description" label="Description" rows={2} />
          <MonitorsField name="monitorIds" as="list" label="Only these monitors" hint="None means the whole workspace." />
          <Submit>Record deploy</Submit>
        </CallForm>
      </Panel>
    )
    : null

export const deploysView = view("/app/deploys", "incidents", function*({ query }) {
  const before = query.get("before")
  const { data, next } = yield* read("list_deploys", { limit: perPage, ...(before === null ? {} : { before }) })
  return {
    title: "Deploys",
    live: ["deploy.created"],
    head: {
      crumbs: [["/app/incidents", "Incidents"]],
      note: "What was shipped when. Charts and incidents show it, and your pipeline can record it with the API."
    },
    stack: [
      <Panel id="deploys" title="Deploys" flush>
        <RecordTable
          none={["No deploys yet", "Record one below, or call the API at the end of your pipeline."]}
          of={data}
          idOf={({ id }) => id}
          columns={columns}
          actions={{ class: "end", cell: (deploy) => <Remove of={deploy} /> }}
        />
        <Pager
          said={`${data.length} shown`}
          shown={data.length}
          previous={before === null ? null : "/app/deploys"}
          next={next === null ? null : `/app/deploys?before=${next}`}
        />
      </Panel>,
      <Record />
    ]
  }
})
