/** The settings of a status page: access, languages, content, links, subscriptions and search engines. */
import { Language, type Page } from "../../../../schema/page/Page.ts"
import { Area, CallButton, CallForm, Check, Field, Select, Submit } from "../../design/Form.tsx"
import { Panel } from "../../design/Parts.tsx"
import { ZoneField } from "../../design/TimeFields.tsx"
import { listText } from "../../frame/FormBody.ts"
import { view } from "../../frame/View.ts"
import { pageHead, readPage } from "./PageHead.tsx"

const languageNames = new Intl.DisplayNames("en", { type: "language" })

const languages: ReadonlyArray<readonly [string, string]> = [
  ["auto", "The visitor's"],
  ...Language.literals.map((code) => [code, languageNames.of(code) ?? code] as const)
]

const Visibility = ({ page }: { readonly page: Page }) => {
  const shownPrivate = page.visibility === "private"
  return (
    <Panel id="visibility" title="Visibility">
      <p>
        {shownPrivate
          ? page.hasPassword
            ? "Members of the workspace, and visitors who know the password."
            : "Members of the workspace only."
          : "Everybody."}
      </p>
      {shownPrivate
        ? (
          <>
            <CallForm call="update_page" id="page-password" fixed={{ pageId: page.id }} said="Password set" copy={false}>
              <Field
                name="password"
                type="password"
                label={page.hasPassword ? "New password" : "Password for visitors"}
                required
                hint="At least 8 characters. Visitors who entered the old one must enter the new one."
                attributes={{ minlength: 8, maxlength: 200, autocomplete: "new-password" }}
              />
              <Submit look="plain">Set password</Submit>
            </CallForm>
            {page.hasPassword
              ? (
                <CallButton
                  call="update_page"
                  id="no-password"
                  fixed={{ pageId: page.id, "password:text?": "" }}
                  said="Password removed"
                >
                  Remove the password
                </CallButton>
              )
              : null}
            <CallButton
              call="update_page"
              id="make-public"
              fixed={{ pageId: page.id, visibility: "public", ...(page.hasPassword ? { "password:text?": "" } : {}) }}
              said="The page is public"
            >
              Make it public
            </CallButton>
          </>
        )
        : (
          <CallButton
            call="update_page"
            id="make-private"
            fixed={{ pageId: page.id, visibility: "private" }}
            said="The page is private"
          >
            Make it private
          </CallButton>
        )}
    </Panel>
  )
}

const WrittenUpdates = ({ settings }: Pick<Page, "settings">) => (
  <fieldset>
    <legend>Updates by AI</legend>
    <Check
      name="settings.aiPublicUpdates"
      label="Let AI write public updates"
      checked={settings.aiPublicUpdates ?? false}
    />
    <Area
      name="settings.aiGuidelines"
      as="raw"
      label="Guidelines"
      rows={3}
      value={settings.aiGuidelines}
      hint="Tone, names, what to leave out"
    />
    <Field
      name="settings.aiAvoidTerms"
      as="list"
      label="Words to avoid"
      value={listText(settings.aiAvoidTerms ?? [])}
      hint="Separated by commas; one that has a comma stands in quotes"
    />
  </fieldset>
)

const General = ({ page }: { readonly page: Page }) => {
  const { seo, settings } = page
  return (
    <Panel id="general" title="General">
      <CallForm call="update_page" id="page-settings" fixed={{ pageId: page.id }} of={page} said="Settings saved">
        <div class="columns">
          <Select name="settings.language" label="Language" value={settings.language ?? "auto"} options={languages} />
          <ZoneField name="settings.timezone" label="Time zone" required value={settings.timezone} listId="page-zones" />
          <Field
            name="settings.uptimeDays"
            type="number"
            label="Days of history"
            required
            value={settings.uptimeDays ?? 90}
            hint="7 to 90"
            attributes={{ min: 7, max: 90 }}
          />
        </div>
        <Check name="settings.showUptimePercent" label="Show uptime in percent" checked={settings.showUptimePercent ?? true} />
        <Check name="settings.showResponseTimes" label="Show response times" checked={settings.showResponseTimes ?? false} />
        <fieldset>
          <legend>Automatic incidents</legend>
          <Check
            name="settings.autoIncidents"
            label="Open an incident when a component fails"
            checked={settings.autoIncidents ?? true}
          />
          <Select
            name="settings.incidentMinStatus"
            label="Starting at"
            value={settings.incidentMinStatus ?? "partial_outage"}
            options={[["degraded", "Degraded"], ["partial_outage", "Partial outage"], ["major_outage", "Major outage"]]}
            hint="A slow monitor makes its component degraded; one that is down makes it a major outage"
          />
        </fieldset>
        <WrittenUpdates settings={settings} />
        <fieldset>
          <legend>Visitors may subscribe by</legend>
          <Check name="settings.subscriptions.email" label="Email" checked={settings.subscriptions?.email ?? true} />
          <Check name="settings.subscriptions.webhook" label="Webhook" checked={settings.subscriptions?.webhook ?? true} />
          <Check name="settings.subscriptions.slack" label="Slack and Discord" checked={settings.subscriptions?.slack ?? true} />
          <Check name="settings.subscriptions.rss" label="Feeds" checked={settings.subscriptions?.rss ?? true} />
        </fieldset>
        <fieldset>
          <legend>Search engines</legend>
          <Field name="seo.title" as="raw" label="Title" value={seo.title} attributes={{ maxlength: 120 }} />
          <Field name="seo.description" as="raw" label="Description" value={seo.description} attributes={{ maxlength: 300 }} />
          <Check name="seo.noindex" label="Keep the page out of search engines" checked={seo.noindex ?? false} />
        </fieldset>
        <Submit>Save settings</Submit>
      </CallForm>
    </Panel>
  )
}

type Links = NonNullable<Page["branding"]["headerLinks"]>

/** Rows of links with free ones at the end; a row without both texts is left out. */
const LinkRows = ({ legend, links, most, name }: {
  readonly name: string
  readonly legend: string
  readonly links: Links
  readonly most: number
}) => (
  <fieldset>
    <legend>{legend}</legend>
    <input type="hidden" name={`${name}:list`} value="" />
    {Array.from({ length: Math.min(most, links.length + 2) }, (_, index) => (
      <div class="columns">
        <Field
          name={`${name}.${index}.label`}
          label={`Text ${index + 1}`}
          value={links[index]?.label}
          attributes={{ maxlength: 60 }}
        />
        <Field name={`${name}.${index}.url`} type="url" label={`Address ${index + 1}`} value={links[index]?.url} />
      </div>
    ))}
  </fieldset>
)

const Links = ({ page }: { readonly page: Page }) => {
  const { branding } = page
  return (
    <Panel id="links" title="Links and footer">
      <CallForm call="update_page" id="page-links" fixed={{ pageId: page.id }} of={page} said="Links saved">
        <div class="columns">
          <Field name="branding.websiteUrl" as="text?" type="url" label="Your website" value={branding.websiteUrl} />
          <Field name="branding.supportUrl" as="text?" type="url" label="Support" value={branding.supportUrl} />
        </div>
        <LinkRows name="branding.headerLinks" legend="Links at the top" links={branding.headerLinks ?? []} most={8} />
        <LinkRows name="branding.footerLinks" legend="Links in the footer" links={branding.footerLinks ?? []} most={20} />
        <Area name="branding.footerText" as="text?" label="Footer text" rows={2} value={branding.footerText} />
        <Check
          name="branding.hidePoweredBy"
          label="Hide &quot;Powered by Belltower&quot;"
          checked={branding.hidePoweredBy ?? false}
        />
        <Submit>Save links</Submit>
      </CallForm>
    </Panel>
  )
}

export const pageSettingsView = view("/app/pages/:id/settings", "pages", function*() {
  const page = yield* readPage
  return {
    title: `Settings of ${page.name}`,
    head: pageHead(page, "/settings"),
    split: [[<General page={page} />, <Links page={page} />], <Visibility page={page} />]
  }
})
