import { mount } from 'svelte';
import App from './App.svelte';
import './style.css';
import './own.css';
import './switch.css';

const target = document.getElementById('page');
if (target) mount(App, { target });
