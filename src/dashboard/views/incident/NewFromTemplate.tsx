/** The view of a new incident or of new maintenance: its form, filled in from a template if one is chosen. */
import { Effect } from "effect"
import type { FunctionComponent } from "preact"
import type { RenderedTemplate, Template } from "../../../../schema/incident/Template.ts"
import { Choices } from "../../design/Choices.tsx"
import { Head, Panel } from "../../design/Parts.tsx"
import { read, readOrNull, together } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"
import type { Section } from "../page/ComponentPicker.tsx"
import { PagePicker, readPageChoices } from "../page/PageChoice.tsx"

/** The data of the form. */
export interface NewParts {
  readonly pages: ReadonlyArray<readonly [id: string, name: string]>
  readonly sections: ReadonlyArray<Section>
  /** The chosen template, filled in; null without one. */
  readonly rendered: RenderedTemplate | null
}

/** Which pages show it; a workspace's only page is chosen already. */
export const PageChoices = ({ label, none, pages }: Pick<NewParts, "pages"> & {
  readonly label: string
  /** The note if there is no page. */
  readonly none: string
}) =>
  pages.length === 0
    ? <p class="note">{none}</p>
    : <Choices name="pageIds" label={label} options={pages} values={pages.length === 1 ? pages.map(([id]) => id) : []} />

const TemplatePicker = ({ action, templates, used }: {
  readonly action: string
  readonly templates: ReadonlyArray<Template>
  readonly used: string | null
}) =>
  templates.length === 0 ? null : (
    <form method="get" action={action} class="inline" data-carry>
      <div class="field">
        <label for="template">Template</label>
        <select id="template" name="template">
          {templates.map(({ id, name }) => <option value={id} selected={id === used}>{name}</option>)}
        </select>
      </div>
      <button class="plain">Use template</button>
    </form>
  )

export const newFromTemplate = ({ Form, kind, noun, place, question, title }: {
  readonly kind: Template["kind"]
  readonly place: "incidents" | "maintenance"
  /** The name of the list that the view belongs to. */
  readonly noun: string
  readonly title: string
  /** The form's question. */
  readonly question: string
  readonly Form: FunctionComponent<NewParts>
}) => {
  const path = `/app/${place}/new` as const
  return view(
    path,
    place,
    Effect.gen(function*() {
      const { query } = yield* Visit
      const template = query.get("template")
      const [choices, { data: templates }, rendered] = yield* Effect.all([
        readPageChoices,
        read("list_incident_templates"),
        template === null ? Effect.succeed(null) : readOrNull("render_incident_template", { id: template })
      ], together)
      const fitting = templates.filter((one) => one.kind === kind)
      return {
        title,
        body: (
          <>
            <Head title={title} crumbs={[[`/app/${place}`, noun]]} />
            <Panel
              id="new"
              title={question}
              actions={<TemplatePicker action={path} templates={fitting} used={template} />}
            >
              <PagePicker choices={choices} />
              <Form pages={choices.pages} sections={choices.sections} rendered={rendered} />
            </Panel>
          </>
        )
      }
    })
  )
}
