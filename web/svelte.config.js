import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';

export default {
  preprocess: vitePreprocess(),
  compilerOptions: {
    // After what a style says, not after where it stands: every machine builds the same files.
    cssHash: ({ hash, css }) => `u${hash(css)}`,
  },
};
