/** Templates of incidents and maintenance: words that are ready before they are needed. */
import { Effect } from "effect"
import type { Component } from "../../../../schema/component/Component.ts"
import type { Template } from "../../../../schema/incident/Template.ts"
import { Choices } from "../../design/Choices.tsx"
import { Confirm } from "../../design/Confirm.tsx"
import { Area, Buttons, CallForm, Field, Select } from "../../design/Form.tsx"
import { Empty, Head, inWords, Panel, Tag } from "../../design/Parts.tsx"
import { read, together } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { OtherComponents, PagePicker, readPageChoices } from "../page/PageChoice.tsx"

const here = "/app/incidents/templates"

const placeholders = "Belltower fills in {{component}}, {{duration}}, {{status_page}} and {{title}}."

const statuses = ["investigating", "identified", "monitoring", "resolved", "scheduled", "in_progress", "completed"] as const

const Fields = ({ components, of }: { readonly of: Template | null; readonly components: ReadonlyArray<Component> }) => (
  <>
    <div class="columns">
      <Field name="name" label="Name" required value={of?.name ?? null} attributes={{ maxlength: 80 }} />
      <Select
        name="kind"
        label="For"
        value={of?.kind ?? "incident"}
        options={[["incident", "Incidents"], ["maintenance", "Maintenance"]]}
      />
      <Select
        name="status"
        label="Status"
        value={of?.status ?? ""}
        options={[...(of === null ? [["", "Default"] as const] : []), ...statuses.map((one) => [one, inWords(one)] as const)]}
      />
    </div>
    <Field name="title" label="Title" required value={of?.title ?? null} attributes={{ maxlength: 200 }} />
    <Area name="body" label="Text" required value={of?.body ?? null} hint={placeholders} />
    {components.length === 0 ? null : (
      <details class="more">
        <summary>Components</summary>
        <Choices
          name="componentIds"
          label="Affected by default"
          options={components.slice(0, 100).map(({ id, name }) => [id, name])}
          values={of?.componentIds ?? []}
        />
        <OtherComponents ids={of?.componentIds ?? []} components={components.slice(0, 100)} />
      </details>
    )}
  </>
)

const One = ({ components, of }: { readonly of: Template; readonly components: ReadonlyArray<Component> }) => (
  <details class="more" id={`template-${of.id}`}>
    <summary>
      {of.name} <Tag>{of.kind}</Tag>
    </summary>
    <CallForm call="update_incident_template" id={`edit-${of.id}`} fixed={{ id: of.id }} then={here} said="Template saved">
      <Fields of={of} components={components} />
      <Buttons>
        <button>Save</button>
        <a
          class="button plain"
          href={`${of.kind === "incident" ? "/app/incidents/new" : "/app/maintenance/new"}?template=${of.id}`}
        >
          Use
        </a>
      </Buttons>
    </CallForm>
    <Confirm
      call="delete_incident_template"
      id={`delete-${of.id}`}
      fixed={{ id: of.id }}
      then={here}
      said={`Template ${of.name} deleted`}
      label="Delete template"
      lost={`The template "${of.name}" with its text. Incidents that were opened with it stay as they are.`}
    />
  </details>
)

export const templatesView = view(
  "/app/incidents/templates",
  "incidents",
  Effect.gen(function*() {
    const [{ data }, choices] = yield* Effect.all([read("list_incident_templates"), readPageChoices], together)
    const { components } = choices
    return {
      title: "Templates",
      body: (
        <>
          <Head
            title="Templates"
            crumbs={[["/app/incidents", "Incidents"]]}
            note="Write the words before you need them. Use them when you open an incident, post an update or schedule maintenance."
          />
          <div class="stack">
            <PagePicker choices={choices} />
            <Panel id="templates" title="Your templates">
              {data.length === 0
                ? <Empty title="No template yet" text="A good first one: what you say while you do not know the cause yet." />
                : data.map((of) => <One of={of} components={components} />)}
            </Panel>
            <Panel id="new" title="New template">
              <CallForm call="create_incident_template" id="new-template" then={here} said="Template created">
                <Fields of={null} components={components} />
                <Buttons>
                  <button>Create template</button>
                </Buttons>
              </CallForm>
            </Panel>
          </div>
        </>
      )
    }
  })
)
