import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [svelte()],
  build: {
    // What has a hash in its name is cached for ever; only index.html is asked for again.
    assetsDir: 'assets',
    // A data: address would be a resource that no policy can name.
    assetsInlineLimit: 0,
    // The polyfill is for browsers that have no `light-dark()` either.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    target: 'es2022',
  },
  server: {
    proxy: {
      '/api': 'http://127.0.0.1:8080',
      '/setup': 'http://127.0.0.1:8080',
    },
  },
});
