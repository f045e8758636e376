/** Rare content of a workspace: a draft of a page, an image, a workspace to restore, a connected app, and one that asks for access. */
import { createHash } from "node:crypto"
import type { Demo } from "../../../infra/demo/demo.mjs"
import { pixel } from "../../support/files/Pixel.ts"
import type { Watched } from "./DemoBrowser.ts"
import { call } from "./Story.ts"

const verifier = "v".repeat(43)

/** An app asks for access; the page is then its question. */
const askForAccess = async ({ page }: Watched, demo: Demo, name: string) => {
  const redirect_uri = `${demo.baseUrl}/docs`
  const registered = await page.request.post("/oauth/register", { data: { client_name: name, redirect_uris: [redirect_uri] } })
  const { client_id } = await registered.json()
  const query = new URLSearchParams({
    client_id,
    redirect_uri,
    response_type: "code",
    state: "kept",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256"
  })
  await page.goto(`/oauth/authorize?${query.toString()}`)
  return { client_id, redirect_uri }
}

/** Connects an app as its person does. */
const connectApp = async (watched: Watched, demo: Demo) => {
  const { page } = watched
  const app = await askForAccess(watched, demo, "Desk of the support team")
  await page.locator("button[value=allow]").click()
  await page.waitForURL(/\/docs\?/)
  const code = new URL(page.url()).searchParams.get("code") ?? ""
  const form = { grant_type: "authorization_code", ...app, code_verifier: verifier, code }
  await page.request.post("/oauth/token", { form })
}

/** A workspace of the person that was deleted and can be restored; answers how to return to the one of before. */
export const deletedWorkspace = async (watched: Watched, name: string) => {
  const { data } = await call(watched, "GET", "/me/workspaces")
  const own = data.find(({ current }: { readonly current: boolean }) => current)
  const { id } = await call(watched, "POST", "/me/workspaces", { name })
  await call(watched, "POST", `/me/workspaces/${id}/switch`)
  await call(watched, "DELETE", "/workspace", { name })
  const back = () => call(watched, "POST", `/me/workspaces/${own.id}/switch`)
  await back()
  return back
}

export const draftOf = (watched: Watched, pageId: string) =>
  call(watched, "PATCH", `/pages/${pageId}`, { description: "What we run", theme: { preset: "paper" }, draft: "keep" })

export const uploadImage = (watched: Watched) => call(watched, "POST", "/images", { data: pixel })

/** Makes all of it; answers the views that show it. */
export const rareViews = async (watched: Watched, demo: Demo): Promise<ReadonlyArray<string>> => {
  const draft = demo.pages[1]?.id ?? ""
  await watched.page.goto("/app")
  await draftOf(watched, draft)
  await uploadImage(watched)
  await deletedWorkspace(watched, "Experiments of last year")
  await connectApp(watched, demo)
  await askForAccess(watched, demo, "Notes")
  const { pathname } = new URL(watched.page.url())
  return [pathname, `/app/pages/${draft}`, "/app/images", "/app/workspaces", "/app/apps", "/app/monitors/new?kind=mcp"]
}
