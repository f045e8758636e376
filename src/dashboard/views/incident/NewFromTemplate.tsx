/** The view of a new incident or of new maintenance: its form, filled in from a template if one is chosen. */
import { Effect } from "effect"
import type { FunctionComponent } from "preact"
import type { RenderedTemplate, Template } from "../../../../schema/incident/Template.ts"
import { Choices } from "../../design/Choices.tsx"
import { PlainSelect } from "../../design/Filters.tsx"
import { Panel } from "../../design/Parts.tsx"
import { read, readOrNull, together, view } from "../../frame/View.ts"
import type { Section } from "../page/ComponentPicker.tsx"
import { PagePicker, readPageChoices } from "../page/PageChoice.tsx"

export interface NewParts {
  readonly pages: ReadonlyArray<readonly [id: string, name: string]>
  readonly sections: ReadonlyArray<Section>
  /** The chosen template, filled in; null without one. */
  readonly rendered: RenderedTemplate | null
}

/** Which pages show it; a workspace's only page is chosen already. */
export const PageChoices = ({ label, none, pages }: Pick<NewParts, "pages"> & {
  readonly label: string
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
      <PlainSelect id="template" label="Template" value={used} options={templates.map(({ id, name }) => [id, name])} />
      <button class="plain">Use template</button>
    </form>
  )

export const newFromTemplate = ({ Form, kind, noun, place, question, title }: {
  readonly kind: Template["kind"]
  readonly place: "incidents" | "maintenance"
  readonly noun: string
  readonly title: string
  readonly question: string
  readonly Form: FunctionComponent<NewParts>
}) => {
  const path = `/app/${place}/new` as const
  return view(path, place, function*({ query }) {
    const template = query.get("template")
    const [choices, { data: templates }, rendered] = yield* together([
      readPageChoices,
      read("list_incident_templates"),
      template === null ? Effect.succeed(null) : readOrNull("render_incident_template", { id: template })
    ])
    const fitting = templates.filter((one) => one.kind === kind)
    return {
      title,
      head: { crumbs: [[`/app/${place}`, noun]] },
      body: (
        <Panel
          id="new"
          title={question}
          actions={<TemplatePicker action={path} templates={fitting} used={template} />}
        >
          <PagePicker choices={choices} />
          <Form pages={choices.pages} sections={choices.sections} rendered={rendered} />
        </Panel>
      )
    }
  })
}
