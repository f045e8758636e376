/** The fields of a component, by the source of its status. */
import type { ComponentChildren } from "preact"
import type { Component } from "../../../../schema/component/Component.ts"
import type { Page } from "../../../../schema/page/Page.ts"
import { DurationField } from "../../design/DurationField.tsx"
import { CallForm, Check, Field, Select, Submit } from "../../design/Form.tsx"
import { MonitorsField } from "../../design/MonitorsField.tsx"
import { Panel, Tabs } from "../../design/Parts.tsx"
import { useVisit } from "../../frame/Visit.ts"

const sources = ["monitors", "push", "manifest", "manual"] as const
export type Source = (typeof sources)[number]

const names: Readonly<Record<Source, string>> = {
  monitors: "Monitors",
  push: "Your program",
  manifest: "A manifest",
  manual: "By hand"
}

export const sourceNamed = (given: string | null): Source => sources.find((source) => source === given) ?? "monitors"

export const currentSource = ({ manifest, manual, push }: Component): Source =>
  push ? "push" : manifest !== null ? "manifest" : manual ? "manual" : "monitors"

const Confirmations = ({ component }: { readonly component: Component | null }) => (
  <Field
    name="confirmations"
    type="number"
    label="Reports before a worse status is shown"
    value={component?.confirmations ?? 2}
    attributes={{ min: 1, max: 10 }}
  />
)

const Monitors = ({ component }: { readonly component: Component | null }) => (
  <>
    <MonitorsField
      name="monitorIds"
      as="list"
      label="Monitors"
      required
      value={component?.monitorIds.join(", ")}
      hint="At most 20."
    />
    <Select
      name="aggregate"
      label="With several monitors"
      value={component?.aggregate ?? "worst"}
      options={[["worst", "The worst counts"], ["majority", "The majority counts"]]}
    />
  </>
)

export const SourceFields = ({ component, source }: { readonly source: Source; readonly component: Component | null }) => {
  const parts: Readonly<Record<Source, ComponentChildren>> = {
    monitors: <Monitors component={component} />,
    push: (
      <>
        <input type="hidden" name="push:boolean" value="true" />
        <DurationField
          name="pushTtlSec"
          as="seconds?"
          label="Unknown after"
          value={component?.pushTtlSec}
          hint="Time without a push, 1 min to 7 days. Leave empty for never."
        />
        <Confirmations component={component} />
      </>
    ),
    manifest: (
      <>
        <MonitorsField
          name="manifest.monitorId"
          label="Manifest monitor"
          required
          value={component?.manifest?.monitorId}
          hint="The monitor that reads the manifest."
        />
        <Field
          name="manifest.key"
          label="Key in the manifest"
          required
          value={component?.manifest?.key}
          attributes={{ maxlength: 120 }}
        />
        <Confirmations component={component} />
      </>
    ),
    manual: <input type="hidden" name="manual:boolean" value="true" />
  }
  return <>{parts[source]}</>
}

export const ShownFields = ({ component, page }: { readonly page: Page; readonly component: Component | null }) => (
  <>
    <Field name="name" label="Name" required value={component?.name} attributes={{ maxlength: 100 }} />
    <Field name="description" as="raw" label="Description" value={component?.description} attributes={{ maxlength: 500 }} />
    {page.groups.length === 0 && component === null ? null : (
      <Select
        name="group"
        as="raw"
        label="Group"
        value={component?.group ?? ""}
        options={[["", "None"], ...page.groups.map(({ id, name }) => [id, name] as const)]}
      />
    )}
  </>
)

export const SourceTabs = ({ here, path }: { readonly here: Source; readonly path: string }) => (
  <Tabs
    label="Source of the status"
    here={`${path}?source=${here}`}
    of={sources.map((source) => [`${path}?source=${source}`, names[source]])}
  />
)

export const NewComponent = ({ page }: { readonly page: Page }) => {
  const { query } = useVisit()
  const source = sourceNamed(query.get("source"))
  const path = `/app/pages/${page.id}/components` as const
  return (
    <Panel id="new" title="New component">
      <p class="note">Where does its status come from?</p>
      <SourceTabs here={source} path={path} />
      <CallForm call="create_component" id="new-component" fixed={{ pageId: page.id }} then={path} said="Component added">
        <ShownFields page={page} component={null} />
        <SourceFields source={source} component={null} />
        <Check name="showUptime" label="Show its uptime" checked />
        <Submit>Add component</Submit>
      </CallForm>
    </Panel>
  )
}
