/** Templates of incidents and maintenance: texts prepared in advance. */
import { ComponentStatus } from "../../../../schema/component/Component.ts"
import { GivenImpact } from "../../../../schema/incident/Incident.ts"
import type { Template } from "../../../../schema/incident/Template.ts"
import { isolated } from "../../../domain/tools/text/Direction.ts"
import { Confirm } from "../../design/Confirm.tsx"
import { CallForm, Field, Select, Submit } from "../../design/Form.tsx"
import { MarkdownArea } from "../../design/MarkdownArea.tsx"
import { May } from "../../design/May.tsx"
import { inWords, Item, ListPanel, Panel, Tag } from "../../design/Parts.tsx"
import { read, together, view } from "../../frame/View.ts"
import { ComponentChoices, type Section } from "../page/ComponentPicker.tsx"
import { PagePicker, readPageChoices } from "../page/PageChoice.tsx"

const statuses = ["investigating", "identified", "monitoring", "resolved", "scheduled", "in_progress", "completed"] as const

/** A new template has a default for each; an edit has the value of the template. */
const optionsOf = (of: Template | null, values: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> => [
  ...(of === null ? [["", "Default"] as const] : []),
  ...values.map((one) => [one, inWords(one)] as const)
]

/** Sample values of the placeholders, for the preview. */
const samples = { component: "Checkout", duration: "12 minutes", status_page: "Acme Status", title: "Checkout is slow" }

const Fields = ({ of, sections }: { readonly of: Template | null; readonly sections: ReadonlyArray<Section> }) => (
  <>
    <div class="columns">
      <Field name="name" label="Name" required value={of?.name ?? null} attributes={{ maxlength: 80 }} />
      <Select
        name="kind"
        label="Use for"
        value={of?.kind ?? "incident"}
        options={[["incident", "Incidents"], ["maintenance", "Maintenance"]]}
      />
      <Select
        name="status"
        label="Status"
        value={of?.status ?? ""}
        options={optionsOf(of, statuses)}
      />
      <Select name="impact" label="Impact" value={of?.impact ?? ""} options={optionsOf(of, GivenImpact.literals)} />
      <Field
        name="order"
        type="number"
        label="Place in lists"
        value={of?.order}
        hint="The lowest comes first"
        attributes={{ min: 0, max: 10_000 }}
      />
    </div>
    <Field name="title" label="Title" required value={of?.title ?? null} attributes={{ maxlength: 200 }} />
    <MarkdownArea
      name="body"
      label="Text"
      required
      value={of?.body ?? null}
      samples={samples}
      hint="Belltower fills in {{component}}, {{duration}}, {{status_page}} and {{title}} when you use it."
    />
    {sections.length === 0 ? null : (
      <details class="more">
        <summary>Components</summary>
        <ComponentChoices label="Affected by default" sections={sections} values={of?.componentIds ?? []} />
        <Select
          name="componentStatus"
          label="Their status"
          value={of?.componentStatus ?? ""}
          options={optionsOf(of, ComponentStatus.literals)}
        />
      </details>
    )}
  </>
)

/** Each in a view of its own, so that the list stays short however many components there are to choose from. */
const One = ({ of: { id, kind, name } }: { readonly of: Template }) => (
  <Item id={`template-${id}`} name={name} href={`/app/incidents/templates?template=${id}`}>
    <Tag>{inWords(kind)}</Tag>
    <May call={kind === "incident" ? "create_incident" : "schedule_maintenance"}>
      <a
        class="button plain tight"
        href={`${kind === "incident" ? "/app/incidents/new" : "/app/maintenance/new"}?template=${id}`}
      >
        Use<span class="sr">{" "}{name}</span>
      </a>
    </May>
  </Item>
)

const Edit = ({ of, sections }: { readonly of: Template; readonly sections: ReadonlyArray<Section> }) => (
  <Panel id="edit" title={of.name} actions={<a href="/app/incidents/templates">All templates</a>}>
    <CallForm call="update_incident_template" id={`edit-${of.id}`} fixed={{ id: of.id }} of={of} said="Template saved">
      <Fields of={of} sections={sections} />
      <Submit cancel="/app/incidents/templates">Save</Submit>
    </CallForm>
    <Confirm
      call="delete_incident_template"
      id={`delete-${of.id}`}
      fixed={{ id: of.id }}
      said={`Template ${of.name} deleted`}
      label="Delete template"
      lost={`The template "${isolated(of.name)}" with its text. Incidents that were opened with it stay as they are.`}
    />
  </Panel>
)

const All = ({ sections, templates }: {
  readonly templates: ReadonlyArray<Template>
  readonly sections: ReadonlyArray<Section>
}) => (
  <>
    <ListPanel
      id="templates"
      title="Your templates"
      none={["No templates yet", "A good first one: what to say while you do not know the cause."]}
    >
      {templates.map((of) => <One of={of} />)}
    </ListPanel>
    <Panel id="new" title="New template">
      <CallForm call="create_incident_template" id="new-template" said="Template created">
        <Fields of={null} sections={sections} />
        <Submit>Create template</Submit>
      </CallForm>
    </Panel>
  </>
)

export const templatesView = view("/app/incidents/templates", "incidents", function*({ query }) {
  const [{ data }, choices] = yield* together([read("list_incident_templates"), readPageChoices])
  const asked = query.get("template")
  const chosen = data.find(({ id }) => id === asked)
  return {
    title: "Templates",
    head: {
      crumbs: [["/app/incidents", "Incidents"]],
      note: "Prepare texts before you need them, for incidents, updates and maintenance."
    },
    stack: [
      <PagePicker choices={choices} />,
      chosen === undefined
        ? <All templates={data} sections={choices.sections} />
        : <Edit of={chosen} sections={choices.sections} />
    ]
  }
})
