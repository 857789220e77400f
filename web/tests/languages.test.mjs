import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { House, held, own } from './house.mjs';

let house;
before(async () => {
  house = await House.open();
});
after(() => house.close());

const SAID = {
  ja: {
    ...{ isNew: '新規登録', name: '名前', email: 'メールアドレス', password: 'パスワード' },
    ...{ keep: '会話を保存する', signUp: 'アカウントを作成', create: '作成', say: '話しかける', send: '送信' },
    ...{ stored: '保存済み', edit: '編集', editing: 'メッセージを編集', save: '保存', confirm: '削除して送信' },
    first: 'これは最初のメッセージです。編集すると会話を最初からやり直します。2件のメッセージを削除しますか？',
    some: 'このメッセージを含む2件のメッセージが削除されます。続けますか？',
    ...{ done: '1人のエージェントが2件のメッセージを忘れました', undo: '元に戻す', unsend: '送信取消' },
    ...{ template: '一対一', newChat: '新しいチャット', door: 'アカウント作成', span: /30日/ },
    // Nothing in it is only English.
    script: /[\u3040-\u30ff]/,
    ...{ data: 'マイデータ', off: 'オフにする', isOff: '履歴はオフです' },
    ...{ now: 'これからの発言は保存されません。', hidden: /^非表示：\d+月\d+日に消去されます$/ },
    ...{ experts: 'エキスパート', start: /^始める/, cannot: 'サーバーに接続できません。', retry: '再試行' },
    ...{ worlds: 'ワールド', wrong: 'メールアドレスかパスワードが違います。', signOut: 'サインアウト', signIn: 'サインイン' },
  },
  es: {
    ...{ isNew: 'Registrarse', name: 'Nombre', email: 'Correo electrónico', password: 'Contraseña' },
    ...{ keep: 'Guardar mis conversaciones', signUp: 'Crear cuenta', create: 'Crear', say: 'Di algo', send: 'Enviar' },
    ...{ stored: 'Guardado', edit: 'Editar', editing: 'Editar mensaje', save: 'Guardar', confirm: 'Eliminar y enviar' },
    first: 'Este es el primer mensaje. Al editarlo la conversación vuelve a empezar. ¿Eliminar 2 mensajes?',
    some: 'Se eliminarán 2 mensajes (incluido este). ¿Continuar?',
    ...{ done: '2 mensajes olvidados por 1 agente', undo: 'Deshacer', unsend: 'Retirar' },
    ...{ template: 'De tú a tú', newChat: 'Chat nuevo', door: 'Registro', span: /30 días/ },
    script: /\b(una?|uno|los?|la|el|con|sin|de|que|quien|tu|paso)\b/i,
    ...{ data: 'Mis datos', off: 'Desactivar', isOff: 'Historial desactivado' },
    ...{ now: 'Lo que digas ahora no se guarda.', hidden: /^Oculto: se borra el \d+ \w+$/ },
    ...{ experts: 'Expertos', start: /^Empezar/, cannot: 'No se puede conectar con el servidor.', retry: 'Reintentar' },
    ...{ worlds: 'Mundos', wrong: 'El correo o la contraseña no son correctos.', signOut: 'Cerrar sesión', signIn: 'Iniciar sesión' },
  },
};

for (const [locale, words] of Object.entries(SAID)) {
  test(`somebody signs up, talks, edits, takes back and switches off: ${locale}`, async () => {
    const page = await house.tab(await house.visitor({ locale, viewport: { width: 360, height: 740 } }));
    const button = (name) => page.getByRole('button', { name, exact: true });
    await button(words.isNew).click();
    await page.getByLabel(words.name, { exact: true }).fill('Kim');
    await page.getByLabel(words.email).fill(`${locale}@example.org`);
    await page.getByLabel(words.password).fill('correct horse');
    await page.getByLabel(words.keep).check();
    await button(words.signUp).click();
    await page.getByRole('heading', { name: words.worlds, exact: true }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), locale);

    await page.getByLabel(words.template).waitFor();
    const offered = await page.locator('fieldset label').allTextContents();
    assert.equal(offered.length, 4);
    for (const text of offered) assert.match(text, words.script);
    await page.getByLabel(words.template).check();
    await button(words.create).click();
    await page.getByText(words.stored, { exact: true }).waitFor();
    await page.getByRole('heading', { name: words.newChat }).waitFor();
    const say = async (text) => {
      await page.getByLabel(words.say).fill(text);
      await button(words.send).click();
      await page.getByText(`I heard: “${text}”`).waitFor();
    };
    const edit = async (before, after, question) => {
      await own(page, before).locator('button:not([aria-disabled="true"])', { hasText: words.edit }).click();
      await page.getByLabel(words.editing).fill(after);
      await button(words.save).click();
      await page.getByRole('dialog').getByText(question, { exact: true }).waitFor();
      await button(words.confirm).click();
      await page.getByText(`I heard: “${after}”`).waitFor();
      await own(page, before).waitFor({ state: 'detached' });
    };
    await say('canary-one');
    await edit('canary-one', 'number one', words.first);
    assert.doesNotMatch(await held(page), /canary-one/);
    await say('canary-two');
    await edit('canary-two', 'number two', words.some);
    await page.getByText(words.done, { exact: true }).waitFor();
    await button(words.undo).click();
    await own(page, 'canary-two').waitFor();
    await own(page, 'canary-two').getByRole('button', { name: words.unsend }).click();
    await page.getByRole('dialog').getByRole('button', { name: words.unsend }).click();
    await own(page, 'canary-two').waitFor({ state: 'detached' });

    await page.getByRole('link', { name: words.experts }).click();
    await page.getByRole('button', { name: words.start }).first().waitFor();
    for (const text of await page.locator('li.card').allTextContents()) assert.match(text, words.script);
    await page.getByRole('button', { name: words.start }).first().click();
    await say('number three');
    const session = page.url();
    await page.getByRole('link', { name: words.data }).click();
    await page.getByLabel(words.keep).click();
    await button(words.off).click();
    await page.getByText(words.isOff, { exact: true }).waitFor();
    await page.getByRole('cell', { name: words.door, exact: true }).waitFor();
    await page.getByText(words.span).first().waitFor();
    await page.goto(session);
    await page.getByText(words.hidden).waitFor();
    await page.getByText(words.now).waitFor();

    await page.context().setOffline(true);
    await page.getByLabel(words.say).fill('number four');
    await button(words.send).click();
    await page.getByText(words.cannot).waitFor();
    await page.context().setOffline(false);
    await button(words.retry).click();
    await page.getByText('I heard: “number four”').waitFor();

    await button(words.signOut).click();
    await page.getByLabel(words.email).fill(`${locale}@example.org`);
    await page.getByLabel(words.password).fill('wrong horse');
    await button(words.signIn).click();
    await page.getByText(words.wrong).waitFor();
  });
}
