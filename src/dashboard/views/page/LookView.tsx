/** The look of a status page: name, preset, colours with their contrast, fonts, logo and style sheet, with a preview. */
import type { Page } from "../../../../schema/page/Page.ts"
import { storedTheme } from "../../../domain/page/PageEdit.ts"
import { ownPropertiesOf, presetOf, presetRadius, tokenNames } from "../../../domain/page/Theme.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { pageClasses, stateClasses } from "../../../pages/style/PageClasses.ts"
import { named } from "../../design/Amounts.ts"
import { CodeArea } from "../../design/CodeArea.tsx"
import { Delete } from "../../design/Confirm.tsx"
import { AlsoButton, Area, Buttons, CallForm, Field, Select } from "../../design/Form.tsx"
import { Box, inWords, Island, Panel } from "../../design/Parts.tsx"
import { view } from "../../frame/View.ts"
import { ContrastTable } from "./ContrastTable.tsx"
import { DraftBanner } from "./DraftBanner.tsx"
import { formerValues, seenAt, withDraft } from "./DraftValues.ts"
import { pageHead, readPage } from "./PageHead.tsx"
import { PresetChoice } from "./PresetChoice.tsx"

const Colors = ({ page: { theme } }: { readonly page: Page }) => (
  <fieldset>
    <legend>Colours</legend>
    <div class="columns">
      <Select
        name="theme.mode"
        as="text?"
        label="Mode"
        value={theme.mode ?? ""}
        options={[["", "As the visitor prefers"], ["light", "Always light"], ["dark", "Always dark"]]}
      />
      <Field
        name="theme.accent"
        as="text?"
        label="Accent"
        value={theme.accent}
        hint="A colour such as #1f5fd6. Default: the preset's."
        attributes={{ maxlength: 7, "data-color": true, spellcheck: false }}
      />
    </div>
    <details class="more" open={Object.keys(theme.tokens ?? {}).length > 0}>
      <summary>Each colour</summary>
      <input type="hidden" name="theme.tokens:pairs" value="" />
      <div class="columns">
        {tokenNames.filter((name) => name !== "accent").map((name) => (
          <Field
            name={`theme.tokens.${name}`}
            label={inWords(name === "bg" ? "background" : name === "surface" ? "panels" : name === "line" ? "lines" : name)}
            value={theme.tokens?.[name]}
            attributes={{ maxlength: 100, "data-color": true, spellcheck: false, placeholder: "The preset's" }}
          />
        ))}
        {ownPropertiesOf(theme).map(([name, value]) => (
          <Field name={`theme.tokens.${name}`} label={name} value={value} attributes={{ maxlength: 100, spellcheck: false }} />
        ))}
      </div>
      <p class="note">A colour set here applies in light and in dark. Fix the mode if it fits only one of them.</p>
    </details>
  </fieldset>
)

const Type = ({ page: { theme } }: { readonly page: Page }) => {
  const usual = presetRadius[presetOf(theme.preset)]
  return (
    <fieldset>
      <legend>Type and shape</legend>
      <div class="columns">
        <Field
          name="theme.fontSans"
          as="text?"
          label="Font"
          value={theme.fontSans}
          hint="A font family that visitors have installed, such as Inter"
        />
        <Field name="theme.fontMono" as="text?" label="Monospaced font" value={theme.fontMono} />
        <Field
          name="theme.radius"
          type="number"
          label="Corner radius"
          required
          value={theme.radius}
          hint={`0 to 24 px. The preset's is ${usual}.`}
          attributes={{ min: 0, max: 24 }}
        />
      </div>
    </fieldset>
  )
}

/** The pictures of a page: field, label, hint, and the longest side in pixels that an uploaded one is made smaller to. */
const pictures = [
  [
    "logoUrl",
    "Logo",
    "Address of an image. Uploaded ones and ones elsewhere do not mix: with an uploaded one, only these are shown.",
    640
  ],
  ["logoDarkUrl", "Logo in dark", "Default: the same", 640],
  ["faviconUrl", "Icon of the browser tab", "A square", 128]
] as const

const Brand = ({ page: { branding } }: { readonly page: Page }) => (
  <fieldset>
    <legend>Logo</legend>
    <div class="columns">
      {pictures.map(([name, label, hint, side]) => (
        <Field
          name={`branding.${name}`}
          as="text?"
          type="url"
          label={label}
          value={branding[name]}
          hint={hint}
          attributes={{ "data-picture": side }}
        />
      ))}
      <Field
        name="branding.logoText"
        as="text?"
        label="Text beside the logo"
        value={branding.logoText}
        attributes={{ maxlength: 60 }}
      />
    </div>
  </fieldset>
)

/** The class names that a style sheet can rely on. */
const Classes = () => (
  <details class="more">
    <summary>Class names for custom CSS</summary>
    <dl class="facts classes">
      {pageClasses.map(([name, what]) => (
        <>
          <dt>
            <code>.{name}</code>
          </dt>
          <dd>{what}</dd>
        </>
      ))}
      <dt>By status</dt>
      <dd>
        {stateClasses.map((name, index) => (
          <>
            {index === 0 ? "" : ", "}
            <code>.{name}</code>
          </>
        ))} beside <code>.banner</code>, <code>.incident</code> and <code>.state</code>
      </dd>
      <dt>Colours</dt>
      <dd>
        {tokenNames.map((name, index) => (
          <>
            {index === 0 ? "" : ", "}
            <code>var(--{name})</code>
          </>
        ))}
      </dd>
    </dl>
  </details>
)

/** `seen`: the page as it is, with the values that its draft would change. */
const LookForm = ({ page, seen }: { readonly page: Page; readonly seen: Page }) => (
  <CallForm
    call="update_page"
    id="page-look"
    fixed={{ pageId: page.id, since: seenAt(seen) }}
    said="Page published"
    otherwise={<p class="note">Your role cannot change this page.</p>}
  >
    <div class="columns">
      <Field name="name" label="Name" required value={page.name} attributes={{ maxlength: 100 }} />
      <Field
        name="slug"
        label="Address"
        required
        value={page.slug}
        hint="Links to the old address stop working when you change it."
        attributes={{ maxlength: 48 }}
      />
    </div>
    <Area name="description" as="raw" label="Description" rows={2} value={page.description ?? ""} />
    <PresetChoice value={presetOf(page.theme.preset)} />
    <Colors page={page} />
    <Type page={page} />
    <Brand page={page} />
    <details class="more" open={(page.theme.customCss ?? "") !== ""}>
      <summary>Custom CSS</summary>
      <CodeArea
        name="theme.customCss"
        as="raw"
        language="css"
        label="Style sheet"
        rows={10}
        value={page.theme.customCss}
        hint="Applies after the preset. It cannot load anything from elsewhere."
      />
    </details>
    <Classes />
    <div
      class="unpublished"
      data-changes={JSON.stringify(formerValues(seen, page))}
      data-draft={seen.draft === null ? undefined : ""}
      role="region"
      aria-label="Changes"
    >
      <Buttons>
        <button name="draft" value="publish">Publish</button>
        <AlsoButton call="update_page" name="draft" value="keep" said="Draft saved">Save draft</AlsoButton>
      </Buttons>
    </div>
  </CallForm>
)

const Preview = ({ page: { id, name, slug, theme }, phone, url }: {
  readonly page: Page
  readonly phone: boolean
  readonly url: string
}) => (
  <Island name="look" props={{ page: id }}>
    <Panel
      id="preview"
      title="Preview"
      flush
      actions={
        <span class="buttons" data-widths>
          <a href={url} aria-current={phone ? undefined : "true"}>Desktop</a>
          <a href={`${url}?width=phone`} aria-current={phone ? "true" : undefined}>Phone</a>
        </span>
      }
    >
      <div class="page-preview" data-width={phone ? "phone" : "desktop"}>
        <iframe src={`/s/${slug}`} title={`Preview of ${name}`} loading="lazy" />
      </div>
      <p class="preview-note note">The page as published. With scripts, your changes show here immediately.</p>
    </Panel>
    <Panel id="contrast" title="Contrast">
      <p class="note">WCAG 2.2 AA asks for 4.5:1 of text and 3:1 of marks.</p>
      <div data-contrast>
        <ContrastTable theme={storedTheme(theme)} />
      </div>
    </Panel>
  </Island>
)

const End = ({ page: { components, customDomain, groups, id, name, slug } }: { readonly page: Page }) => (
  <Delete
    call="delete_page"
    fixed={{ pageId: id }}
    noun="page"
    name={name}
    then="/app/pages"
    lost={
      <>
        <p>This cannot be undone. These are lost:</p>
        <ul class="bullets">
          <li>The address /s/{slug}{customDomain === null ? "" : ` and the domain ${customDomain}`}</li>
          <li>
            {components.length === 0
              ? "No components"
              : `${counted(components.length, "component")} with ${components.length === 1 ? "its" : "their"} history: ${
                named(components.map((component) => component.name))
              }`}
          </li>
          {groups.length === 0
            ? null
            : <li>{counted(groups.length, "group")}: {named(groups.map((group) => group.name))}</li>}
          <li>
            All of its <a href={`/app/pages/${id}/subscribers`}>subscribers</a>
          </li>
        </ul>
        <p>Monitors and incidents remain in the workspace.</p>
      </>
    }
  />
)

export const lookView = view("/app/pages/:id", "pages", function*({ query }) {
  const seen = yield* readPage
  const page = withDraft(seen)
  return {
    title: seen.name,
    head: pageHead(seen, ""),
    stack: [
      ...(seen.draft === null ? [] : [<DraftBanner draft={seen.draft} page={seen} />]),
      <div class="editor">
        <div class="stack">
          <Box label="Look">
            <LookForm page={page} seen={seen} />
          </Box>
          <End page={seen} />
        </div>
        <Preview page={{ ...page, slug: seen.slug }} phone={query.get("width") === "phone"} url={`/app/pages/${page.id}`} />
      </div>
    ]
  }
})
